import { shardOf } from '@tollgate/contracts';
import type { Entry__Output } from '@tollgate/contracts/node';
import { uuidv7 } from '@tollgate/kit';

import { inTransaction } from '../../db';
import type { Database } from '../../schema';
import {
  appendNext,
  createBudget,
  createMcpServer,
  createQuota,
  createTenant,
  entryOf,
  MCP_RESULT,
  mcpEntryOf,
  nextBatch,
  NOON_MS,
  startTestDatabases,
  type Tenant,
  type TestDatabases,
} from '../../test-support';
import { bookQuarantined } from '../operators/book-quarantined';
import { resolveAbandoned } from '../operators/resolve-abandoned';
import { McpUsageRecord } from '../records/mcp-usage-record.entity';
import { UsageAdjustment } from '../records/usage-adjustment.entity';
import { UsageRecord } from '../records/usage-record.entity';
import { UsagePeriod } from '../rollups/usage-period.entity';
import { Usage } from '../rollups/usage.entity';
import { rebuildRollups } from '../verify/rebuild';
import { verifyLedger } from '../verify/verify';
import { windowTotals } from '../windows/window-totals';
import { append } from './append';

/** Requests to MCP servers in the books. */

let databases: TestDatabases;
let database: Database;
let tenant: Tenant;
let serverId: string;

beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.fresh();
});
afterAll(() => databases.stop());
beforeEach(async () => {
  tenant = await createTenant(database.orm);
  serverId = await createMcpServer(database.orm, tenant);
});
afterEach(async () => {
  expect(await verifyLedger(database.pool)).toMatchObject({
    ok: true,
    windowBreaches: [],
    rollupBreaches: [],
    mcpBreaches: [],
  });
});

const book = (...entries: Entry__Output[]) => appendNext(database.pool, tenant, entries);
const own = () => ({ organisationId: tenant.organisationId });
const records = () => database.orm.manager.findBy(UsageRecord, own());
const mcpRecords = () => database.orm.manager.findBy(McpUsageRecord, own());
const adjustments = () => database.orm.manager.findBy(UsageAdjustment, own());
const LIST = { method: 'tools/list', name: '' };

/** What a limit has counted on the day of `NOON_MS`, from its window or summed. */
async function countedBy(limitId: string): Promise<string | null | undefined> {
  const day = { windowStartMs: Date.UTC(2026, 10, 18), windowEndMs: Date.UTC(2026, 10, 19) };
  const { totals } = await windowTotals(database.pool, {
    shard: shardOf(tenant.organisationId),
    ...own(),
    windows: [{ limitId, ...day }],
  });
  return totals?.[0]?.settled;
}

const ofServer = () => ({ scopeType: 'MCP_SERVER' as const, scopeId: serverId });
const daily = { period: 'DAILY' as const, windowSeconds: null };

test('a tool call is one usage record, with one row of what only MCP requests have', async () => {
  const requestId = uuidv7();
  await book(mcpEntryOf(tenant, serverId, { requestId, authorisedAtMs: NOON_MS }));
  expect(await records()).toMatchObject([
    {
      id: requestId,
      mcpServerId: serverId,
      modelId: null,
      providerId: null,
      modelName: '',
      operation: 'mcp_call',
      requests: 1,
      costNanoUsd: 1_000n,
      tokensIn: 0n,
    },
  ]);
  expect(await mcpRecords()).toEqual([
    {
      id: requestId,
      organisationId: tenant.organisationId,
      teamId: tenant.teamId,
      userId: tenant.userId,
      apiKeyId: tenant.apiKeyId,
      mcpServerId: serverId,
      mcpServer: 'tools',
      method: 'tools/call',
      name: 'search',
      mode: 'SETTLED',
      outcome: 'COMPLETED',
      httpStatus: 200,
      errorCode: null,
      jsonRpcErrorCode: null,
      isError: false,
      protocolVersion: '2025-11-25',
      resultType: null,
      latencyMs: 480,
      firstByteMs: 90,
      requestBytes: 120n,
      responseBytes: 1_024n,
      costNanoUsd: 1_000n,
      clientRequestId: 'client-1',
      traceId: MCP_RESULT.traceId,
      sessionSha256: Buffer.alloc(32, 7),
      calledAt: new Date(NOON_MS),
    },
  ]);
});

test('a call whose tool failed keeps the error of the protocol and that of the tool apart', async () => {
  const failed = { ...MCP_RESULT, rpcErrorCode: -32_602, resultType: 'input_required' };
  await book(
    mcpEntryOf(tenant, serverId, { settle: { mcp: { ...MCP_RESULT, isError: true } } }),
    mcpEntryOf(tenant, serverId, { settle: { outcome: 'FAILED', mcp: failed } }),
  );
  expect(await mcpRecords()).toMatchObject([
    { outcome: 'COMPLETED', isError: true, jsonRpcErrorCode: null },
    { outcome: 'FAILED', isError: false, jsonRpcErrorCode: -32_602, resultType: 'input_required' },
  ]);
});

test('however often a batch is sent, each request has one record and one MCP row', async () => {
  const entries = [mcpEntryOf(tenant, serverId), mcpEntryOf(tenant, serverId, { mcp: LIST })];
  const batch = await nextBatch(database.pool, tenant, [...entries, ...entries]);
  const replies = [await append(database.pool, batch), await append(database.pool, batch)];
  expect(replies.map(({ reply }) => reply.committed)).toEqual([true, false]);
  await book(...entries);
  expect(await records()).toHaveLength(2);
  expect(await mcpRecords()).toHaveLength(2);
  expect(await adjustments()).toEqual([]);
});

test('requests to models have no MCP row, and cancelled ones no record at all', async () => {
  await book(entryOf(tenant), mcpEntryOf(tenant, serverId, { mode: 'CANCELLED' }));
  expect(await records()).toMatchObject([{ mcpServerId: null, modelId: tenant.modelId }]);
  expect(await mcpRecords()).toEqual([]);
});

test('limits of an MCP server count its calls and cost, and no other server or model', async () => {
  const budget = await createBudget(database.orm, tenant, ofServer());
  const quota = await createQuota(database.orm, tenant, { ...ofServer(), ...daily });
  const otherId = await createMcpServer(database.orm, tenant, 'other');
  const calls = [mcpEntryOf(tenant, serverId), mcpEntryOf(tenant, serverId)];
  await book(...calls, mcpEntryOf(tenant, otherId), entryOf(tenant));
  await book(mcpEntryOf(tenant, serverId));
  expect(await countedBy(budget)).toBe('3000');
  expect(await countedBy(quota)).toBe('3');
  // A limit that is created later is summed from the records.
  expect(await countedBy(await createBudget(database.orm, tenant, ofServer()))).toBe('3000');
});

test('a list adds its latency to usage, and nothing to requests, errors or time upstream', async () => {
  const quotas = await Promise.all(
    (['REQUESTS', 'ERRORS', 'LATENCY_MS'] as const).map((metric) =>
      createQuota(database.orm, tenant, { ...daily, metric }),
    ),
  );
  await book(
    mcpEntryOf(tenant, serverId, { mcp: LIST, settle: { httpStatus: 502, outcome: 'FAILED' } }),
    mcpEntryOf(tenant, serverId),
  );
  expect(await Promise.all(quotas.map(countedBy))).toEqual(['1', '0', '400']);
  expect(await mcpRecords()).toHaveLength(2);
  const [hour] = await database.orm.manager.findBy(Usage, own());
  expect(hour).toMatchObject({ requests: 1n, completed: 1n, failed: 0n, latencyCount: 2n });
});

test('an abandoned call is charged its hold, and late usage corrects the cost, not its row', async () => {
  const budget = await createBudget(database.orm, tenant, ofServer());
  const requestId = uuidv7();
  const abandoned = { outcome: '', costNanoUsd: '', mcp: null };
  const held = { requestId, heldNanoUsd: '5000' };
  await book(mcpEntryOf(tenant, serverId, { ...held, mode: 'ABANDONED', settle: abandoned }));
  expect(await countedBy(budget)).toBe('5000');
  await book(mcpEntryOf(tenant, serverId, held));
  expect(await countedBy(budget)).toBe('1000');
  expect(await mcpRecords()).toMatchObject([
    { id: requestId, mode: 'ABANDONED', outcome: null, costNanoUsd: 5_000n, isError: false },
  ]);
  expect(await adjustments()).toMatchObject([
    { requestId, kind: 'LATE_SETTLED', mcpServerId: serverId, costNanoUsd: -4_000n },
  ]);
});

test('an operator refunds an abandoned call in the windows of its server', async () => {
  const budget = await createBudget(database.orm, tenant, ofServer());
  const requestId = uuidv7();
  const settle = { outcome: '', costNanoUsd: '', mcp: null };
  await book(mcpEntryOf(tenant, serverId, { requestId, mode: 'ABANDONED', settle }));
  const resolution = { requestId, charge: 'REFUND' as const, reason: 'lost', resolvedBy: uuidv7() };
  await inTransaction(database.pool, (tx) =>
    resolveAbandoned(tx, { ...own(), timeZone: 'UTC', ...resolution }),
  );
  expect(await countedBy(budget)).toBe('0');
  expect(await adjustments()).toMatchObject([{ kind: 'CORRECTION', mcpServerId: serverId }]);
});

test('rollups that are rebuilt have the rows, ids included, that booking has written', async () => {
  const otherId = await createMcpServer(database.orm, tenant, 'other');
  const requestId = uuidv7();
  const settle = { outcome: '', costNanoUsd: '', mcp: null };
  await book(
    entryOf(tenant),
    mcpEntryOf(tenant, serverId),
    mcpEntryOf(tenant, otherId),
    mcpEntryOf(tenant, serverId, { mcp: LIST }),
    mcpEntryOf(tenant, serverId, { requestId, mode: 'ABANDONED', settle }),
  );
  await book(mcpEntryOf(tenant, serverId, { requestId, settle: { outcome: 'FAILED' } }));
  const order = { order: { id: 'ASC' as const }, where: own() };
  const periods = await database.orm.manager.find(UsagePeriod, order);
  const hours = await database.orm.manager.findBy(Usage, own());
  expect(periods.filter(({ mcpServerId }) => mcpServerId === otherId)).toHaveLength(5);

  await rebuildRollups(database.pool);
  // Late usage has latencies only while it is booked.
  const sums = ({ latencyMs: _a, latencyCount: _b, firstTokenMs: _c, ...row }: UsagePeriod) =>
    Object.entries(row).filter(([name]) => !/^(latency|first_token|firstToken)/.test(name));
  const again = await database.orm.manager.find(UsagePeriod, order);
  expect(again.map(sums)).toEqual(periods.map(sums));
  const key = (row: Usage) => `${row.modelId} ${row.mcpServerId}`;
  const counts = (rows: Usage[]) =>
    rows
      .map((row) => [key(row), row.requests, row.completed, row.failed, row.abandoned])
      .toSorted(([a], [b]) => String(a).localeCompare(String(b)));
  expect(counts(await database.orm.manager.findBy(Usage, own()))).toEqual(counts(hours));
});

test.each([
  ['lacks its MCP record', 'DELETE FROM mcp_usage_record'],
  ['lacks its usage record', 'UPDATE usage_record SET mcp_server_id = NULL'],
  ['has two costs', 'UPDATE mcp_usage_record SET cost_nano_usd = 1'],
  ['has two owners', 'UPDATE mcp_usage_record SET team_id = NULL'],
])('verification finds a request that %s', async (_what, damage) => {
  const requestId = uuidv7();
  await book(mcpEntryOf(tenant, serverId, { requestId }), mcpEntryOf(tenant, serverId));
  const restore = await damaged(damage, requestId);
  expect(await verifyLedger(database.pool)).toMatchObject({ ok: false, mcpBreaches: [requestId] });
  await restore();
});

/** Changes one record, and returns how to undo that. */
async function damaged(sql: string, id: string): Promise<() => Promise<void>> {
  const where = { id };
  const record = await database.orm.manager.findOneByOrFail(UsageRecord, where);
  const described = await database.orm.manager.findOneByOrFail(McpUsageRecord, where);
  await database.pool.query(`${sql} WHERE id = $1`, [id]);
  return async () => {
    await database.orm.manager.update(UsageRecord, where, { mcpServerId: record.mcpServerId });
    await database.orm.manager.save(McpUsageRecord, described);
  };
}

test.each([
  ['an operation of MCP without the request', { mcp: null }, 'mcp'],
  ['a request of MCP with another operation', { operation: 'chat' }, 'mcp'],
  ['a server that is no id', { mcp: { serverId: 'x' } }, 'mcp.server_id'],
  ['no method', { mcp: { method: '' } }, 'mcp.method'],
  [
    'a short digest',
    { settle: { mcp: { ...MCP_RESULT, sessionSha256: Buffer.alloc(3) } } },
    'settle.mcp.session_sha256',
  ],
  [
    'negative bytes',
    { settle: { mcp: { ...MCP_RESULT, requestBytes: -1 } } },
    'settle.mcp.request_bytes',
  ],
])('%s cannot be booked, and the field is named', async (_what, values, field) => {
  const entry = { ...mcpEntryOf(tenant, serverId), operation: 'mcp_call' };
  const given = values as Parameters<typeof mcpEntryOf>[2] & { mcp?: object | null };
  const bad = {
    ...entry,
    ...(given.operation === undefined ? {} : { operation: given.operation }),
    mcp: given.mcp === null ? null : { ...entry.mcp, ...given.mcp },
    settle: { ...entry.settle, ...given.settle },
  } as Entry__Output;
  await expect(book(bad)).rejects.toThrow(`${field} cannot be booked`);
});

/** Sets an entry aside, changes it as stored, and books it. */
async function bookLater(entry: Entry__Output, change = 'entry'): Promise<string[]> {
  const batch = await nextBatch(database.pool, tenant, [entry]);
  const quarantine = { quarantine: true, quarantineReason: 'a test' };
  const { reply } = await append(database.pool, { ...batch, ...quarantine });
  const { rows } = await database.pool.query<{ id: string }>(
    `UPDATE ledger_quarantine SET entry = ${change}
     WHERE entry #>> '{subject,organisationId}' = $1 RETURNING id`,
    [tenant.organisationId],
  );
  await inTransaction(database.pool, (tx) => bookQuarantined(tx, rows[0]?.id ?? '', null));
  return [...(reply.forgetLimitIds ?? [])];
}

test('a quarantined call is booked with all of its details, and its server is forgotten', async () => {
  const budget = await createBudget(database.orm, tenant, ofServer());
  expect(await bookLater(mcpEntryOf(tenant, serverId))).toContain(budget);
  expect(await mcpRecords()).toMatchObject([
    { name: 'search', sessionSha256: Buffer.alloc(32, 7), traceId: MCP_RESULT.traceId },
  ]);
});

test('an entry that a release without MCP has set aside is booked', async () => {
  await bookLater(entryOf(tenant), `entry - 'mcp' #- '{settle,mcp}'`);
  expect(await records()).toMatchObject([{ mcpServerId: null, modelId: tenant.modelId }]);
});

test('the longest URI of a resource is kept whole', async () => {
  const name = `file:///${'ü'.repeat(2_040)}`;
  await book(mcpEntryOf(tenant, serverId, { mcp: { method: 'resources/read', name } }));
  expect(await mcpRecords()).toMatchObject([{ method: 'resources/read', name }]);
});
