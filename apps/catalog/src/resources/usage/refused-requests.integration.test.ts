import { createHash } from 'node:crypto';
import { rest } from '@tollgate/contracts';
import type { RefusedSum__Output } from '@tollgate/contracts/node';
import { uuidv7 } from '@tollgate/kit';

import { ApiKey } from '../../entities/api-key.entity';
import { addRefusedRequests } from '../../ledger/reports/refused-requests';
import {
  createTenant,
  startRest,
  type RestServer,
  type Tenant,
  type Who,
} from '../../rest/test-support';
import type { Database } from '../../schema';
import { startTestDatabases, type TestDatabases } from '../../test-support';

let databases: TestDatabases;
let database: Database;
let server: RestServer;
let acme: Tenant;
let other: Tenant;
let params: { organisationId: string };

const AT = Date.now() - 2 * 3_600_000;
const UNKNOWN = createHash('sha256').update('made up').digest();

beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.fresh();
  server = await startRest(database);
  acme = await createTenant(server, 'acme');
  other = await createTenant(server, 'other');
  params = { organisationId: acme.organisationId };
  const hashOf = async (id: string): Promise<Buffer> =>
    (await database.orm.manager.findOneByOrFail(ApiKey, { id })).keySha256;
  const [ofUser, ofOrganisation, ofOther] = await Promise.all(
    [acme.userKeyId, acme.organisationKeyId, other.organisationKeyId].map(hashOf),
  );
  const sum = (values: Partial<RefusedSum__Output>): RefusedSum__Output => ({
    code: 'invalid_request',
    keySha256: ofOrganisation ?? Buffer.alloc(0),
    model: '',
    providerId: '',
    limitId: '',
    count: 1,
    firstAtMs: AT,
    lastAtMs: AT,
    requestId: uuidv7(),
    detailsJson: '',
    other: false,
    ...values,
  });
  await addRefusedRequests(database.pool, [
    sum({ count: 5 }),
    sum({ count: 2, firstAtMs: AT - 3_600_000, lastAtMs: AT - 3_600_000 }),
    sum({ code: 'budget_exceeded', keySha256: ofUser ?? UNKNOWN, count: 3, lastAtMs: AT + 1 }),
    sum({ code: 'upstream_error', providerId: acme.providerId, count: 2 }),
    sum({ keySha256: ofOther ?? UNKNOWN, count: 11 }),
    sum({ code: 'invalid_api_key', keySha256: UNKNOWN, count: 13 }),
    sum({ code: 'missing_api_key', keySha256: Buffer.alloc(0), count: 17 }),
  ]);
});
afterAll(async () => {
  await server.stop();
  await databases.stop();
});

const read = (who: Who, query: object = {}) =>
  server.ok(who, rest.listRefusedRequests, { params, query });
const countsOf = ({ data }: rest.RefusedRequests) => data.map(({ count }) => count);

test('hours are summed by cause, with names, totals and sums by code', async () => {
  const list = await read(acme.callers.ORG_ADMIN, { sort: '-count' });
  expect(countsOf(list)).toEqual([7, 3, 2]);
  expect(list.total).toBe(12);
  expect(list.codes[0]).toEqual({ code: 'invalid_request', count: 7 });
  expect(list.data[0]).toMatchObject({
    organisation: { id: acme.organisationId },
    apiKey: { id: acme.organisationKeyId },
    firstAt: new Date(AT - 3_600_000).toISOString(),
    lastAt: new Date(AT).toISOString(),
    keyFingerprint: null,
  });
  expect(list.data[2]?.provider).toMatchObject({ id: acme.providerId });
});

test('pages follow one another in either order and repeat nothing', async () => {
  for (const sort of ['-count', 'count', '-lastAt', 'lastAt'] as const) {
    const ids: string[] = [];
    let cursor: string | undefined;
    do {
      const page: rest.RefusedRequests = await read(acme.callers.ORG_ADMIN, {
        sort,
        limit: '1',
        ...(cursor === undefined ? {} : { cursor }),
      });
      expect(page.total).toBe(12);
      ids.push(...page.data.map(({ id }) => id));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(new Set(ids).size).toBe(3);
  }
});

test('filters narrow the rows and the totals', async () => {
  const admin = acme.callers.ORG_ADMIN;
  expect(countsOf(await read(admin, { code: 'budget_exceeded' }))).toEqual([3]);
  expect((await read(admin, { apiKeyId: acme.userKeyId })).total).toBe(3);
  expect((await read(admin, { providerId: acme.providerId })).total).toBe(2);
  expect((await read(admin, { from: new Date(AT + 3_600_000).toISOString() })).total).toBe(0);
});

test('a user reads the refusals of their own keys only', async () => {
  expect((await read(acme.callers.USER)).total).toBe(3);
});

test('the platform reads all, and those without a known key', async () => {
  const all = await server.ok(server.root, rest.listPlatformRefusedRequests);
  expect(all.total).toBe(12 + 11 + 13 + 17);
  const keyless = await server.ok(server.root, rest.listPlatformRefusedRequests, {
    query: { keyless: 'true', sort: '-count' },
  });
  expect(keyless.data).toMatchObject([
    { code: 'missing_api_key', keyFingerprint: null, organisation: null },
    { code: 'invalid_api_key', keyFingerprint: UNKNOWN.toString('hex').slice(0, 10) },
  ]);
});

test.each([
  ['from', { from: '2026-01-01T00:00:00Z', to: '2026-03-01T00:00:00Z' }],
  ['from', { from: '2026-02-01T00:00:00Z', to: '2026-01-01T00:00:00Z' }],
  ['cursor', { cursor: Buffer.from('["-lastAt","x","y"]').toString('base64url') }],
])('a wrong %s is refused', async (path, query) => {
  const sent = { params, query };
  expect(
    await server.refused(acme.callers.ORG_ADMIN, rest.listRefusedRequests, sent),
  ).toMatchObject({ status: 422, path });
});
