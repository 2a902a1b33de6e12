import { uuidv7 } from '@tollgate/kit';
import fc from 'fast-check';

import { inTransaction } from '../../db';
import { type Database } from '../../schema';
import {
  appendNext,
  createBudget,
  createMcpServer,
  createQuota,
  createTenant,
  entryOf,
  mcpEntryOf,
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

/** Appends a close of the request. */
type Close = (mode: string, settle: { costNanoUsd?: string; modelId?: string }) => Promise<unknown>;

/** The expected state of a request in a simple model. */
interface Expected {
  total: bigint;
  truthCame: boolean;
  resolved: boolean;
}

test('the truth is what stands in the end, in whichever order it, refunds and corrections come', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 7 }), fc.boolean(), async (events, mcp) => {
      const tenant = await createTenant(database.orm);
      const serverId = await createMcpServer(database.orm, tenant);
      const ofServer = { scopeType: 'MCP_SERVER' as const, scopeId: serverId };
      for (const scope of [...scopesOf(tenant), ofServer]) {
        await createBudget(database.orm, tenant, scope);
      }
      await createQuota(database.orm, tenant, { metric: 'COST' });
      const requestId = uuidv7();
      const close: Close = (mode, settle) =>
        appendNext(database.pool, tenant, [
          mcp
            ? mcpEntryOf(tenant, serverId, {
                ...closing(requestId, mode),
                settle: { ...settle, modelId: '' },
              })
            : entryOf(tenant, { ...closing(requestId, mode), settle }),
        ]);
      await close('ABANDONED', { costNanoUsd: '' });
      const expected: Expected = { total: HELD, truthCame: false, resolved: false };
      for (const one of events) {
        await happen(tenant, requestId, one, expected, close);
        await inTransaction(database.pool, async (tx) => {
          const [bookedRequest] = await findBookedRequests(tx, tenant.organisationId, [requestId]);
          expect(bookedRequest && totalNanoUsd(bookedRequest)).toBe(expected.total);
        });
      }
      const books = await verifyLedger(database.pool);
      expect(books).toMatchObject({ windowBreaches: [], rollupBreaches: [], mcpBreaches: [] });
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
  close: Close,
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
      await close('SETTLED', {
        costNanoUsd: String(one.cost),
        modelId: one.otherModel ? tenant.otherModelId : tenant.modelId,
      });
      if (!expected.truthCame) expected.total = BigInt(one.cost);
      expected.truthCame = true;
      return;
    case 'CANCELLED':
      await close('CANCELLED', {});
      if (!expected.truthCame) expected.total = 0n;
      expected.truthCame = true;
      return;
    case 'new limit':
      await createBudget(database.orm, tenant, { period: 'MONTHLY' });
  }
}

function closing(requestId: string, mode: string) {
  return { requestId, mode, heldNanoUsd: HELD.toString(), authorisedAtMs: NOON_MS };
}
