import { rest } from '@tollgate/contracts';
import { z } from 'zod';

import { startTestDatabases, type TestDatabases } from '../test-support';
import { createTenant, objectIdsOf, startRest, type Params, type RestServer } from './test-support';

/** No query, however odd, is answered with a 500. */

let databases: TestDatabases;
let server: RestServer;
let params: Params;

beforeAll(async () => {
  databases = await startTestDatabases();
  const database = await databases.fresh();
  server = await startRest(database);
  params = await objectIdsOf(server, database, await createTenant(server, 'acme'));
});
afterAll(async () => {
  await server.stop();
  await databases.stop();
});

const ODD = [
  '',
  ' ',
  '0',
  '-1',
  '1e9',
  '99999999999999999999',
  'NaN',
  'true',
  `'; DROP TABLE team; --`,
  '%_\\',
  '\u{1F4A5}',
  'x'.repeat(5000),
  '00000000-0000-0000-0000-000000000000',
  '0000-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999999999+23:59',
  '2026-02-30T00:00:00Z',
  Buffer.from('["-createdAt","9","00000000-0000-7000-8000-000000000000"]').toString('base64url'),
];

const lists = rest.ENDPOINTS.filter(
  ({ method, access, query }) => method === 'GET' && access !== 'public' && query !== rest.noQuery,
);

it.each(lists.map((endpoint) => [endpoint.id, endpoint] as const))('%s', async (_id, endpoint) => {
  const { properties } = z
    .object({ properties: z.record(z.string(), z.unknown()) })
    .parse(z.toJSONSchema(endpoint.query, { io: 'input' }));
  for (const name of Object.keys(properties)) {
    for (const value of ODD) {
      const { status } = await server.call(server.root, endpoint, {
        params,
        query: { [name]: value },
      });
      // The key of a filter is looked up first, and may not exist.
      expect(name === 'apiKeyId' ? [200, 404, 422] : [200, 422]).toContain(status);
    }
  }
});
