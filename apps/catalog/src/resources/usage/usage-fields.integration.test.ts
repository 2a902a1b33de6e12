import { rest, USAGE_FIELD_LIST, type UsageField } from '@tollgate/contracts';
import { uuidv7 } from '@tollgate/kit';

import {
  chargedOf,
  createTenant,
  startRest,
  type RestServer,
  type Tenant,
  type Who,
} from '../../rest/test-support';
import type { Database } from '../../schema';
import { appendNext, entryOf, startTestDatabases, type TestDatabases } from '../../test-support';

let databases: TestDatabases;
let database: Database;
let server: RestServer;
let tenant: Tenant;
let admin: Who;
let params: { organisationId: string };

beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.fresh();
  server = await startRest(database);
});
afterAll(async () => {
  await server.stop();
  await databases.stop();
});
let made = 0;
beforeEach(async () => {
  tenant = await createTenant(server, `acme-${(made += 1)}`);
  admin = tenant.callers.ORG_ADMIN;
  params = { organisationId: tenant.organisationId };
});

const PRICE = uuidv7();

/** A value of a field on the wire, and as the REST API and CSV show it. */
function sample({ kind, name }: UsageField): [wire: unknown, shown: unknown] {
  switch (kind) {
    case 'text':
    case 'optionalText':
      return [`some ${name}\0`, `some ${name}`];
    case 'flag':
      return [true, true];
    case 'integer':
    case 'optionalInteger':
    case 'tokens':
      return [207, 207];
    case 'nanoUsd':
    case 'optionalNanoUsd':
      return ['207', '0.000000207'];
    case 'optionalId':
      return [PRICE, PRICE];
  }
}

async function book(valueOf: (field: UsageField) => unknown): Promise<string> {
  const from = (source: UsageField['from']) =>
    Object.fromEntries(
      USAGE_FIELD_LIST.filter((field) => field.from === source).map((field) => [
        field.name,
        valueOf(field),
      ]),
    );
  const entry = entryOf(chargedOf(tenant), {
    ...from('entry'),
    authorisedAtMs: Date.now(),
    settle: from('settle'),
  });
  await appendNext(database.pool, tenant, [entry]);
  return entry.requestId;
}

const shownIn = (groups: readonly UsageField['group'][]) =>
  Object.fromEntries(
    USAGE_FIELD_LIST.filter(({ group }) => groups.includes(group)).map((field) => [
      field.shown,
      sample(field)[1],
    ]),
  );
const LISTED = ['request', 'answer', 'timing'] as const;

test('every plain field of a settle and an entry is shown where its group says', async () => {
  const requestId = await book((field) => sample(field)[0]);
  const record = await server.ok(admin, rest.getUsageRecord, { params: { ...params, requestId } });
  expect(record).toMatchObject(shownIn([...LISTED, 'hold', 'upstream']));
  expect(Object.keys(record)).toEqual(Object.keys(rest.usageRecordDetail.shape));

  const { data } = await server.ok(admin, rest.listUsageRecords, { params });
  expect(data).toMatchObject([shownIn(LISTED)]);
  expect(Object.keys(data[0] ?? {})).toEqual(Object.keys(rest.usageRecord.shape));

  const csv = await server.ok(admin, rest.exportUsageRecords, { params });
  const [head = [], cells = []] = csv.split('\r\n').map((line) => line.split(','));
  const row = Object.fromEntries(head.map((name, at) => [name, cells[at]]));
  for (const [name, value] of Object.entries(shownIn(LISTED))) {
    expect({ [name]: row[name] }).toEqual({ [name]: String(value) });
  }
});

test('absent texts, ids and first tokens are null', async () => {
  const requestId = await book(({ kind }) =>
    kind === 'flag' ? false : kind.endsWith('nteger') || kind === 'tokens' ? 0 : '',
  );
  const record = await server.ok(admin, rest.getUsageRecord, { params: { ...params, requestId } });
  expect(record).toMatchObject({
    route: '',
    clientRequestId: null,
    errorCode: null,
    httpStatus: 0,
    stream: false,
    firstTokenMs: null,
    heldUsd: '0.00',
    inputTokensEstimate: 0,
    priceId: null,
  });
});

test('the columns of CSV keep their order, whichever are added', async () => {
  const released =
    'id,authorisedAt,closedAt,teamId,userId,apiKeyId,modelId,model,providerId,operation,route,' +
    'clientRequestId,mode,outcome,httpStatus,errorCode,stopReason,stream,usageQuality,' +
    'inputTokens,cacheReadTokens,cacheWrite5mTokens,cacheWrite1hTokens,audioInputTokens,' +
    'outputTokens,audioOutputTokens,reasoningTokens,costUsd,latencyMs,firstTokenMs';
  const csv = await server.ok(admin, rest.exportUsageRecords, { params });
  const names = released.split(',');
  const head = (csv.split('\r\n')[0] ?? '').split(',');
  expect(head.filter((name) => names.includes(name))).toEqual(names);
});

test('an amount or an id that cannot be booked is named', async () => {
  const wrong = (name: string) => book((field) => (field.name === name ? 'x' : sample(field)[0]));
  await expect(wrong('heldNanoUsd')).rejects.toThrow('held_nano_usd cannot be booked');
  await expect(wrong('priceId')).rejects.toThrow('settle.price_id cannot be booked');
});
