import { shardOf } from '@tollgate/contracts';
import type { AppendRequest__Output, Entry__Output } from '@tollgate/contracts/node';
import { uuidv7 } from '@tollgate/kit';
import fc from 'fast-check';

import type { Database } from '../../schema';
import {
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
import { McpUsageRecord } from '../records/mcp-usage-record.entity';
import { getShards } from '../records/shards';
import { UsageAdjustment } from '../records/usage-adjustment.entity';
import { UsageRecord } from '../records/usage-record.entity';
import { verifyLedger } from '../verify/verify';
import { windowTotals } from '../windows/window-totals';
import { append } from './append';

let databases: TestDatabases;
let database: Database;
beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.fresh();
});
afterAll(() => databases.stop());

const HOUR_MS = 3_600_000;

/** How one request ends: its entries, in order. */
const request = fc.record({
  cost: fc.integer({ min: 0, max: 5_000 }),
  hour: fc.integer({ min: -30, max: 30 }),
  otherModel: fc.boolean(),
  /** A method of an MCP server instead of a model. */
  mcp: fc.option(fc.constantFrom('tools/call', 'tools/list'), { nil: undefined }),
  closes: fc.constantFrom(
    ['SETTLED'],
    ['SETTLED', 'SETTLED'],
    ['ABANDONED'],
    ['ABANDONED', 'SETTLED'],
    ['ABANDONED', 'CANCELLED'],
    ['ABANDONED', 'ABANDONED', 'SETTLED', 'CANCELLED'],
    ['CANCELLED'],
  ),
});

interface Step {
  kind: string;
  size?: number;
  afterQueries?: number;
}

/** What happens to the ledger between two drains. */
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('drain' as const),
      size: fc.integer({ min: 1, max: 6 }),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ kind: 'resend' as const }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'race' as const }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('crash' as const),
      afterQueries: fc.integer({ min: 1, max: 11 }),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ kind: 'new limit' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'totals' as const }) },
);

const world = fc.record({
  requests: fc.array(request, { minLength: 1, maxLength: 20 }),
  order: fc.infiniteStream(fc.nat()),
  steps: fc.array(step, { minLength: 4, maxLength: 25 }),
});

test('whatever is sent twice, raced, killed midway or late, each request is booked once', async () => {
  await fc.assert(
    fc.asyncProperty(world, async ({ requests, order, steps }) => {
      const tenant = await createTenant(database.orm);
      const serverId = await createMcpServer(database.orm, tenant);
      const entries = interleave(
        requests.map((one) => entriesOf(tenant, serverId, one)),
        order,
      );
      const scopes = [...scopesOf(tenant), { scopeType: 'MCP_SERVER' as const, scopeId: serverId }];
      await play(tenant, scopes, entries, steps);
      await compare(tenant, entries);
      const verified = await verifyLedger(database.pool);
      expect(verified.windowBreaches).toEqual([]);
      expect(verified.rollupBreaches).toEqual([]);
      expect(verified.mcpBreaches).toEqual([]);
    }),
    { numRuns: 60 },
  );
});

interface Request {
  cost: number;
  hour: number;
  otherModel: boolean;
  mcp: string | undefined;
  closes: readonly string[];
}

function entriesOf(
  tenant: Tenant,
  serverId: string,
  { cost, hour, otherModel, mcp, closes }: Request,
): Entry__Output[] {
  const requestId = uuidv7();
  const authorisedAtMs = NOON_MS + hour * HOUR_MS;
  const modelId = otherModel ? tenant.otherModelId : tenant.modelId;
  return closes.map((mode) => {
    const values = { requestId, mode, authorisedAtMs, heldNanoUsd: '7000' };
    const settle =
      mode === 'ABANDONED'
        ? { outcome: '', costNanoUsd: '' }
        : { costNanoUsd: String(cost), ...(mcp === undefined ? { modelId } : {}) };
    if (mcp === undefined) return entryOf(tenant, { ...values, settle });
    return mcpEntryOf(tenant, serverId, { ...values, settle, mcp: { method: mcp } });
  });
}

/** An order of all entries that keeps the order within each request. */
function interleave(lists: Entry__Output[][], order: fc.Stream<number>): Entry__Output[] {
  const queues = lists.map((list) => [...list]);
  const merged: Entry__Output[] = [];
  for (;;) {
    const open = queues.filter((queue) => queue.length > 0);
    if (open.length === 0) return merged;
    const [pick = 0] = order.take(1);
    const next = open[pick % open.length]?.shift();
    if (next) merged.push(next);
  }
}

async function play(
  tenant: Tenant,
  scopes: ReturnType<typeof scopesOf>,
  entries: readonly Entry__Output[],
  steps: readonly Step[],
): Promise<void> {
  const shard = shardOf(tenant.organisationId);
  const base = await positionOf(shard);
  const batchAt = (from: number, size: number): AppendRequest__Output => {
    const part = entries.slice(from, from + size);
    return {
      shard,
      epoch: 0,
      prev: base + from,
      last: base + from + part.length,
      entries: part.map((entry, index) => ({ ...entry, seq: base + from + index + 1 })),
      quarantine: false,
      quarantineReason: '',
      raw: [],
    };
  };
  let previous = batchAt(0, 0);
  let made = 0;
  for (const { kind, size = 3, afterQueries = 1 } of [...steps, ...drainAll(entries.length)]) {
    const batch = batchAt((await positionOf(shard)) - base, size);
    switch (kind) {
      case 'drain':
        expect((await append(database.pool, batch)).reply.committed).toBe(true);
        previous = batch;
        break;
      case 'resend':
        if (previous.entries.length === 0) break;
        expect((await append(database.pool, previous)).reply.committed).toBe(false);
        break;
      case 'race': {
        if (batch.entries.length === 0) break;
        const replies = await Promise.all([
          append(database.pool, batch),
          append(database.pool, batch),
        ]);
        expect(replies.filter(({ reply }) => reply.committed)).toHaveLength(1);
        break;
      }
      case 'crash':
        await killedAppend(batch, afterQueries);
        break;
      case 'new limit': {
        const scope = scopes[made % scopes.length] ?? {};
        if (made % 2 === 0)
          await createBudget(database.orm, tenant, {
            ...scope,
            period: made % 4 === 0 ? 'DAILY' : 'MONTHLY',
          });
        else
          await createQuota(database.orm, tenant, {
            ...scope,
            metric: made % 3 === 0 ? 'TOKENS' : 'REQUESTS',
          });
        made += 1;
        break;
      }
      case 'totals':
        await windowTotals(database.pool, {
          shard,
          organisationId: tenant.organisationId,
          windows: [
            {
              limitId: await createBudget(database.orm, tenant),
              windowStartMs: NOON_MS - HOUR_MS,
              windowEndMs: NOON_MS + 5 * HOUR_MS,
            },
          ],
        });
        break;
      default:
        throw new Error(`no such step: ${kind}`);
    }
  }
}

function drainAll(count: number): Step[] {
  return Array.from({ length: Math.ceil(count / 5) }, () => ({ kind: 'drain', size: 5 }));
}

async function positionOf(shard: number): Promise<number> {
  const [state] = await getShards(database.pool, [shard]);
  return Number(state?.lastSeq);
}

/** An append whose connection breaks after some statements: nothing of it may remain. */
async function killedAppend(batch: AppendRequest__Output, afterQueries: number): Promise<void> {
  const connect = database.pool.connect.bind(database.pool);
  let left = afterQueries;
  const dying = Object.create(database.pool) as typeof database.pool;
  dying.connect = (async () => {
    const client = await connect();
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    const wrapped = Object.create(client) as typeof client;
    wrapped.query = ((...args: unknown[]) => {
      if (args[0] === 'ROLLBACK') return query(...args);
      if ((left -= 1) < 0 || args[0] === 'COMMIT')
        return Promise.reject(new Error('the process died'));
      return query(...args);
    }) as typeof client.query;
    wrapped.release = (error) => client.release(error);
    return wrapped;
  }) as typeof database.pool.connect;
  const before = await positionOf(batch.shard);
  await expect(append(dying, batch)).rejects.toThrow('the process died');
  expect(await positionOf(batch.shard)).toBe(before);
}

/** Compares the books of each request with a simple model. */
async function compare(tenant: Tenant, entries: readonly Entry__Output[]): Promise<void> {
  const expected = new Map<string, { mode: string; cost: bigint; model: string; late: boolean }>();
  for (const { requestId, mode, settle, heldNanoUsd } of entries) {
    const cost = BigInt(settle?.costNanoUsd ?? '');
    const known = expected.get(requestId);
    if (known === undefined) {
      if (mode === 'CANCELLED') continue;
      const abandoned = mode === 'ABANDONED';
      expected.set(requestId, {
        mode,
        cost: abandoned ? BigInt(heldNanoUsd) : cost,
        model: settle?.modelId ?? '',
        late: false,
      });
    } else if (known.mode === 'ABANDONED' && !known.late && mode !== 'ABANDONED') {
      expected.set(requestId, { ...known, late: true, cost: mode === 'CANCELLED' ? 0n : cost });
    }
  }
  const { organisationId } = tenant;
  const records = await database.orm.manager.findBy(UsageRecord, { organisationId });
  const adjustments = await database.orm.manager.findBy(UsageAdjustment, { organisationId });
  const found = new Map(records.map((record) => [record.id, record.costNanoUsd]));
  for (const { requestId, costNanoUsd } of adjustments) {
    found.set(requestId, (found.get(requestId) ?? 0n) + costNanoUsd);
  }
  expect(found).toEqual(new Map([...expected].map(([id, { cost }]) => [id, cost])));
  const modes = new Map(records.map((record) => [record.id, record.mode as string]));
  expect(modes).toEqual(new Map([...expected].map(([id, { mode }]) => [id, mode])));
  // Every request to an MCP server that has a record has one row of its own, as first booked.
  const described = await database.orm.manager.findBy(McpUsageRecord, { organisationId });
  const asBooked = (rows: readonly (UsageRecord | McpUsageRecord)[]) =>
    new Map(rows.map((row) => [row.id, [row.mode, row.costNanoUsd]]));
  expect(described).toHaveLength(asBooked(described).size);
  expect(asBooked(described)).toEqual(
    asBooked(records.filter(({ mcpServerId }) => mcpServerId !== null)),
  );
  const ofServers = new Set(entries.filter(({ mcp }) => mcp !== null).map((one) => one.requestId));
  expect(new Set(described.map(({ id }) => id))).toEqual(
    new Set([...expected.keys()].filter((id) => ofServers.has(id))),
  );
}
