import { randomUUID } from 'node:crypto';
import { rest } from '@tollgate/contracts';
import fc from 'fast-check';

import { startTestDatabases, type TestDatabases } from '../test-support';
import { startRest, type RestServer } from './test-support';
import {
  createFuzzer,
  readDocument,
  requestOf,
  type Document,
  type Drawn,
  type Fuzzer,
} from './test-support/fuzz';

/**
 * Any input to an operation of the served document gets a documented answer. Cases are the same in
 * every run; FUZZ_RUNS=<n> draws more for each operation, PROPERTY_SEED=<n> draws others.
 */

const RUNS = Number(process.env['FUZZ_RUNS'] ?? 4);
const TIMEOUT_MS = 60_000 + RUNS * 5_000;

let databases: TestDatabases;
let server: RestServer;
let document: Document;
let fuzzer: Fuzzer;
const statuses = new Map<number, number>();

beforeAll(async () => {
  databases = await startTestDatabases();
  const database = await databases.fresh();
  server = await startRest(database);
  const served = await fetch(`${server.url}/api/openapi.json`);
  document = readDocument(await served.json());
  fuzzer = createFuzzer(server, database, document);
});
afterAll(async () => {
  await server.stop();
  await databases.stop();
});

const ids = rest.ENDPOINTS.map(({ id }, at) => [id, at] as const);
const { seed: firstSeed = 0 } = fc.readConfigureGlobal();

it.each(ids)(
  '%s answers as documented, whatever it is sent',
  async (id, at) => {
    const operation = document.operations.find((one) => one.id === id);
    if (operation === undefined) throw new Error(`${id} is not in the document`);
    await fuzzer.mend();
    await fc.assert(
      fc.asyncProperty(requestOf(document, operation), async (drawn) => {
        const status = await fuzzer.send(operation, drawn);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }),
      // Each operation has its own seed, so that they do not make the same choices.
      { numRuns: RUNS, seed: firstSeed + at },
    );
  },
  TIMEOUT_MS,
);

/** Regressions: these once failed with a 500 or an undocumented status. */
const FOUND: readonly (readonly [string, Partial<Drawn>, number])[] = [
  ['endOwnSession', { path: '/api/auth/sessions/%ff' }, 404],
  ['getMe', { headers: { 'content-encoding': 'gzip' }, body: 'not packed' }, 400],
  ['getMe', { body: '{' }, 400],
  [
    'createInvitation',
    { body: `{"email":"x@example.com","organisationId":"${randomUUID()}"}` },
    404,
  ],
  [
    'importPrices',
    {
      headers: { 'idempotency-key': 'once' },
      body: JSON.stringify({ format: 'json', content: 'x\u{1F4A5}'.repeat(9), dryRun: true }),
    },
    200,
  ],
  [
    'explorePlatformUsage',
    { path: '/api/admin/usage/explore?to=1970-01-02T00%3A00%3A00Z&compare=true' },
    200,
  ],
];

it.each(FOUND)('%s no longer fails for %j', async (id, sent, expected) => {
  const operation = document.operations.find((one) => one.id === id);
  if (operation === undefined) throw new Error(`${id} is not in the document`);
  await fuzzer.mend();
  const path = operation.path.replace(/\{(\w+)\}/g, '{{own.$1}}');
  const { body } = sent;
  const drawn: Drawn = {
    caller: 'SUPER_ADMIN',
    path,
    headers: {},
    ...sent,
    body: body === undefined ? undefined : Buffer.from(body).toString('latin1'),
  };
  expect(await fuzzer.send(operation, drawn)).toBe(expected);
});

it('has met successes and refusals alike', () => {
  const met = [...statuses.keys()];
  for (const status of [200, 201, 204, 401, 403, 404, 422]) expect(met).toContain(status);
});
