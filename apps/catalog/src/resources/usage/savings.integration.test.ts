import { emptyUsage, formatUsd, rest } from '@tollgate/contracts';
import type { Entry__Output } from '@tollgate/contracts/node';
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
const POLICIES = [uuidv7(), uuidv7()] as const;

const AT = Date.parse('2026-03-10T12:00:00Z');
const HOUR_MS = 3_600_000;
const SPAN = { from: '2026-03-09T00:00:00Z', to: '2026-03-12T00:00:00Z' };

type Attempt = NonNullable<Entry__Output['settle']>['attempts'][number];

interface Booked {
  readonly cost: bigint;
  /** Of its only attempt; undefined: caches were not used. */
  readonly uncached?: bigint;
  /** Undefined: not routed, or unknown. */
  readonly first?: bigint;
  readonly policy?: string;
  readonly ofOrganisation?: boolean;
  readonly modelId?: string;
}

// Seeded by hand: losses and gains, of two models, two keys and two policies.
const OTHER_MODEL = uuidv7();
const BOOKED: readonly Booked[] = [
  { cost: 1_000n, uncached: 4_000n, first: 1_500n, policy: POLICIES[0] },
  { cost: 2_000n, uncached: 1_700n, first: 500n, policy: POLICIES[0], modelId: OTHER_MODEL },
  { cost: 7_000n, first: 7_000n, policy: POLICIES[1], ofOrganisation: true },
  { cost: 300n, policy: POLICIES[1], modelId: OTHER_MODEL, ofOrganisation: true },
  { cost: 50n, uncached: 90n, ofOrganisation: true },
  { cost: 11n },
];

function entryFor(booked: Booked, index: number): Entry__Output {
  const { cost, first, modelId = tenant.modelId, ofOrganisation, policy = '', uncached } = booked;
  const own = chargedOf(tenant);
  const charged = ofOrganisation
    ? { ...own, teamId: '', userId: '', apiKeyId: tenant.organisationKeyId }
    : own;
  const atMs = AT + index * HOUR_MS;
  const attempt: Attempt = {
    modelId,
    providerId: tenant.providerId,
    connectionVersion: 1,
    outcome: 'OK',
    startedAtMs: atMs,
    latencyMs: 1,
    firstTokenMs: 0,
    httpStatus: 200,
    usage: { ...emptyUsage(), input: 10 },
    costNanoUsd: cost.toString(),
    uncachedCostNanoUsd: uncached?.toString() ?? '',
    serviceTier: '',
    upstreamRequestId: '',
    upstreamModel: '',
    priceId: '',
    hedge: false,
    message: '',
    region: '',
  };
  return entryOf(charged, {
    requestId: uuidv7(atMs),
    authorisedAtMs: atMs,
    settle: {
      modelId,
      costNanoUsd: cost.toString(),
      firstChoiceCostNanoUsd: first?.toString() ?? '',
      routingPolicyId: policy,
      attempts: [attempt],
    },
  });
}

let entries: Entry__Output[];

beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.fresh();
  server = await startRest(database);
  tenant = await createTenant(server, 'acme');
  admin = tenant.callers.ORG_ADMIN;
  params = { organisationId: tenant.organisationId };
  entries = BOOKED.map(entryFor);
  const abandoned = entryOf(chargedOf(tenant), {
    requestId: uuidv7(AT),
    authorisedAtMs: AT,
    mode: 'ABANDONED',
    settle: { costNanoUsd: '0' },
  });
  await appendNext(database.pool, tenant, [...entries, abandoned]);
});
afterAll(async () => {
  await server.stop();
  await databases.stop();
});

/** Sums by hand, of what is booked and not of what is stored. */
function savedBy(which: (booked: Booked) => boolean) {
  let [caches, routing] = [0n, 0n];
  for (const booked of BOOKED.filter(which)) {
    if (booked.uncached !== undefined) caches += booked.uncached - booked.cost;
    if (booked.first !== undefined) routing += booked.first - booked.cost;
  }
  return { cacheSavedUsd: formatUsd(caches), routingSavedUsd: formatUsd(routing) };
}

const explore = (query: Record<string, unknown>) =>
  server.ok(admin, rest.exploreUsage, { params, query: { ...SPAN, ...query } });

test('totals have what caches and routing saved, less what they cost', async () => {
  const { totals, series } = await explore({ bucket: 'hour' });
  expect(totals).toMatchObject(savedBy(() => true));
  expect(series.map(({ measures }) => measures.cacheSavedUsd).slice(0, 2)).toEqual([
    '0.000003',
    '-0.0000003',
  ]);
});

test.each([
  ['model', () => [tenant.modelId, OTHER_MODEL], (one: Booked) => one.modelId ?? tenant.modelId],
  [
    'apikey',
    () => [tenant.userKeyId, tenant.organisationKeyId],
    (one: Booked) => (one.ofOrganisation ? tenant.organisationKeyId : tenant.userKeyId),
  ],
  [
    'routing-policy',
    (): (string | null)[] => [...POLICIES, null],
    (one: Booked) => one.policy ?? null,
  ],
] as const)('by %s', async (groupBy, ids, idOf) => {
  const { groups } = await explore({ groupBy });
  const found = new Map(groups.map(({ group, totals }) => [group.id, totals]));
  expect(new Set(found.keys())).toEqual(new Set(ids()));
  for (const id of ids()) {
    expect([id, found.get(id)]).toMatchObject([id, savedBy((one) => idOf(one) === id)]);
  }
});

test('rollups and records have the same sums, also of one policy', async () => {
  const [policy] = POLICIES;
  const { totals } = await explore({ routingPolicyId: policy });
  expect(totals).toMatchObject({ requests: 2, ...savedBy((one) => one.policy === policy) });
});

test('a record has its own, and so do CSV and the list of a policy', async () => {
  const requestId = entries[1]?.requestId ?? '';
  const record = await server.ok(admin, rest.getUsageRecord, { params: { ...params, requestId } });
  expect(record).toMatchObject({
    routingPolicyId: POLICIES[0],
    firstChoiceCostUsd: '0.0000005',
    cacheSavedUsd: '-0.0000003',
    routingSavedUsd: '-0.0000015',
    attempts: [{ uncachedCostUsd: '0.0000017' }],
  });
  const query = { routingPolicyId: POLICIES[1] };
  const { data } = await server.ok(admin, rest.listUsageRecords, { params, query });
  expect(data.map(({ firstChoiceCostUsd }) => firstChoiceCostUsd)).toEqual([null, '0.000007']);

  const csv = await server.ok(admin, rest.exportUsageRecords, { params, query: SPAN });
  const [head = [], ...rows] = csv
    .trim()
    .split('\r\n')
    .map((line) => line.split(','));
  const columnOf = (name: string) => rows.map((row) => row[head.indexOf(name)]);
  expect(columnOf('id')).toContain(requestId);
  expect(columnOf('cacheSavedUsd')[columnOf('id').indexOf(requestId)]).toBe('-0.0000003');
  expect(columnOf('routingSavedUsd')[columnOf('id').indexOf(requestId)]).toBe('-0.0000015');
});
