import { uuidv7 } from '@tollgate/kit';
import fc from 'fast-check';

import { inTransaction } from '../../db';
import { type Database } from '../../schema';
import {
  appendNext,
  createBudget,
  createQuota,
  createTenant,
  entryOf,
  NOON_MS,
  scopesOf,
  startTestDatabases,
  type Tenant,
  type TestDatabases,
} from '../../test-support';
import { correct } from '../adjustments/adjustments';
import { findBookedRequests, totalNanoUsd } from '../records/booked-request';
import { verifyLedger } from '../verify/verify';
import { resolveAbandoned } from './resolve-abandoned';

let databases: TestDatabases;
let database: Database;
beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.fresh();
});
afterAll(() => databases.stop());

const HELD = 7_000n;

/** What can happen to an abandoned request, in any order. */
const event = fc.oneof(
  fc.record({ kind: fc.constant('correct' as const), by: fc.integer({ min: -9_000, max: 9_000 }) }),
  fc.record({ kind: fc.constant('KEEP' as const) }),
  fc.record({ kind: fc.constant('REFUND' as const) }),
  fc.record({
    kind: fc.constant('SETTLED' as const),
    cost: fc.integer({ min: 0, max: 9_000 }),
    otherModel: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('CANCELLED' as const) }),
  fc.record({ kind: fc.constant('new limit' as const) }),
);
type Event = typeof event extends fc.Arbitrary<infer E> ? E : never;

/** The expected state of a request in a simple model. */
interface Expected {
  total: bigint;
  truthCame: boolean;
  resolved: boolean;
}

test('the truth is what stands in the end, in whichever order it, refunds and corrections come', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 7 }), async (events) => {
      const tenant = await createTenant(database.orm);
      for (const scope of scopesOf(tenant)) await createBudget(database.orm, tenant, scope);
      await createQuota(database.orm, tenant, { metric: 'COST' });
      const requestId = uuidv7();
      await close(tenant, requestId, 'ABANDONED', { costNanoUsd: '' });
      const expected: Expected = { total: HELD, truthCame: false, resolved: false };
      for (const one of events) {
        await happen(tenant, requestId, one, expected);
        await inTransaction(database.pool, async (tx) => {
          const [bookedRequest] = await findBookedRequests(tx, tenant.organisationId, [requestId]);
          expect(bookedRequest && totalNanoUsd(bookedRequest)).toBe(expected.total);
        });
      }
      const books = await verifyLedger(database.pool);
      expect(books).toMatchObject({ windowBreaches: [], rollupBreaches: [] });
      const own = books.organisations.find((one) => one.organisationId === tenant.organisationId);
      expect(own?.costNanoUsd).toBe(expected.total);
    }),
    { numRuns: 60 },
  );
});

async function happen(
  tenant: Tenant,
  requestId: string,
  one: Event,
  expected: Expected,
): Promise<void> {
  const base = {
    organisationId: tenant.organisationId,
    timeZone: 'UTC',
    requestId,
    reason: 'a test',
  };
  switch (one.kind) {
    case 'correct': {
      const by = BigInt(one.by);
      const refused = expected.total + by < 0n;
      const outcome = await inTransaction(database.pool, (tx) =>
        correct(tx, { ...base, differenceNanoUsd: by, createdBy: tenant.userId }),
      );
      expect(outcome === 'BELOW_ZERO').toBe(refused);
      if (!refused) expected.total += by;
      return;
    }
    case 'KEEP':
    case 'REFUND': {
      const refused = expected.truthCame || expected.resolved;
      const outcome = await inTransaction(database.pool, (tx) =>
        resolveAbandoned(tx, { ...base, charge: one.kind, resolvedBy: tenant.userId }),
      );
      expect(outcome === 'ENDED').toBe(refused);
      if (refused) return;
      expected.resolved = true;
      if (one.kind === 'REFUND') expected.total = 0n;
      return;
    }
    case 'SETTLED':
      await close(tenant, requestId, 'SETTLED', {
        costNanoUsd: String(one.cost),
        modelId: one.otherModel ? tenant.otherModelId : tenant.modelId,
      });
      if (!expected.truthCame) expected.total = BigInt(one.cost);
      expected.truthCame = true;
      return;
    case 'CANCELLED':
      await close(tenant, requestId, 'CANCELLED', {});
      if (!expected.truthCame) expected.total = 0n;
      expected.truthCame = true;
      return;
    case 'new limit':
      await createBudget(database.orm, tenant, { period: 'MONTHLY' });
  }
}

async function close(
  tenant: Tenant,
  requestId: string,
  mode: string,
  settle: { costNanoUsd?: string; modelId?: string },
): Promise<void> {
  const values = { requestId, mode, heldNanoUsd: HELD.toString(), authorisedAtMs: NOON_MS, settle };
  await appendNext(database.pool, tenant, [entryOf(tenant, values)]);
}
