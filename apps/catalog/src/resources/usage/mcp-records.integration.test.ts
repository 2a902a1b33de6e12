import { rest } from '@tollgate/contracts';
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
import {
  appendNext,
  entryOf,
  MCP_RESULT,
  mcpEntryOf,
  startTestDatabases,
  type TestDatabases,
} from '../../test-support';

/** Requests to MCP servers in lists, single views, exports and breakdowns. */

let databases: TestDatabases;
let database: Database;
let server: RestServer;
let tenant: Tenant;
let rival: Tenant;
let admin: Who;
let params: { organisationId: string };
let startMs = 0;

beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.fresh();
  server = await startRest(database);
  tenant = await createTenant(server, 'acme');
  rival = await createTenant(server, 'rival');
  admin = tenant.callers.ORG_ADMIN;
  params = { organisationId: tenant.organisationId };
  startMs = Date.now() - 60_000;
  await bookAll();
});
afterAll(async () => {
  await server.stop();
  await databases.stop();
});

const ids = {
  search: uuidv7(),
  failed: uuidv7(),
  prompt: uuidv7(),
  list: uuidv7(),
  ofTeam: uuidv7(),
  chat: uuidv7(),
};

async function bookAll(): Promise<void> {
  const { mcpServerId } = tenant;
  const charged = chargedOf(tenant);
  const at = (seconds: number) => startMs + seconds * 1_000;
  const ofTeamKey = { ...charged, userId: tenant.userIds.MANAGER, apiKeyId: tenant.teamKeyId };
  await appendNext(database.pool, tenant, [
    mcpEntryOf(charged, mcpServerId, { requestId: ids.search, authorisedAtMs: at(0) }),
    mcpEntryOf(charged, mcpServerId, {
      requestId: ids.failed,
      authorisedAtMs: at(1),
      mcp: { name: '=1+1' },
      settle: { mcp: { ...MCP_RESULT, isError: true } },
    }),
    mcpEntryOf(charged, mcpServerId, {
      requestId: ids.prompt,
      authorisedAtMs: at(2),
      mcp: { method: 'prompts/get', name: 'greet' },
      settle: {
        outcome: 'FAILED',
        httpStatus: 502,
        errorCode: 'upstream_error',
        costNanoUsd: '0',
        mcp: { ...MCP_RESULT, rpcErrorCode: -32_603 },
      },
    }),
    mcpEntryOf(charged, mcpServerId, {
      requestId: ids.list,
      authorisedAtMs: at(3),
      mcp: { method: 'tools/list', name: '' },
      settle: { costNanoUsd: '0' },
    }),
    mcpEntryOf(ofTeamKey, mcpServerId, { requestId: ids.ofTeam, authorisedAtMs: at(4) }),
    entryOf(charged, { requestId: ids.chat, authorisedAtMs: at(5) }),
  ]);
  await appendNext(database.pool, rival, [
    mcpEntryOf(chargedOf(rival), rival.mcpServerId, { authorisedAtMs: at(2) }),
  ]);
}

const nameOf = (id: string): string =>
  Object.entries(ids).find(([, one]) => one === id)?.[0] ?? `unknown ${id}`;
const listed = async (query: object = {}, who = admin): Promise<string[]> => {
  const { data } = await server.ok(who, rest.listMcpUsageRecords, { params, query });
  return data.map(({ id }) => nameOf(id));
};

test('are listed latest first, page by page, without those of models and of others', async () => {
  const first = await server.ok(admin, rest.listMcpUsageRecords, { params, query: { limit: 3 } });
  expect(first.data.map(({ id }) => nameOf(id))).toEqual(['ofTeam', 'list', 'prompt']);
  const query = { limit: 3, cursor: first.nextCursor ?? '' };
  const next = await server.ok(admin, rest.listMcpUsageRecords, { params, query });
  expect(next.data.map(({ id }) => nameOf(id))).toEqual(['failed', 'search']);
  expect(next.nextCursor).toBeNull();
  expect(await listed({ sort: 'calledAt' })).toEqual([
    'search',
    'failed',
    'prompt',
    'list',
    'ofTeam',
  ]);
});

test('each filter narrows them', async () => {
  const { mcpServerId, teamId, userIds, userKeyId, teamKeyId } = tenant;
  const at = (seconds: number) => new Date(startMs + seconds * 1_000).toISOString();
  const all = ['ofTeam', 'list', 'prompt', 'failed', 'search'];
  expect(await listed({ mcpServerId })).toEqual(all);
  expect(await listed({ mcpServerId: rival.mcpServerId })).toEqual([]);
  expect(await listed({ teamId })).toEqual(all);
  expect(await listed({ userId: userIds.MANAGER })).toEqual(['ofTeam']);
  expect(await listed({ apiKeyId: userKeyId })).toEqual(all.slice(1));
  expect(await listed({ apiKeyId: teamKeyId })).toEqual(['ofTeam']);
  expect(await listed({ method: 'prompts/get' })).toEqual(['prompt']);
  expect(await listed({ method: 'tools/call', name: 'search' })).toEqual(['ofTeam', 'search']);
  expect(await listed({ outcome: 'FAILED' })).toEqual(['prompt']);
  expect(await listed({ isError: 'true' })).toEqual(['failed']);
  expect(await listed({ isError: 'false' })).toEqual(['ofTeam', 'list', 'prompt', 'search']);
  expect(await listed({ from: at(1), to: at(3) })).toEqual(['prompt', 'failed']);
});

test('are seen within reach: by their user, by the manager of their team, by no stranger', async () => {
  expect(await listed({}, tenant.callers.USER)).toEqual(['list', 'prompt', 'failed', 'search']);
  expect(await listed({ limit: 2 }, tenant.callers.MANAGER)).toEqual(['ofTeam', 'list']);
  expect(await listed({}, tenant.callers.MANAGER)).toHaveLength(5);
  const one = { params: { ...params, mcpRecordId: ids.ofTeam } };
  expect(await server.refused(tenant.callers.USER, rest.getMcpUsageRecord, one)).toMatchObject({
    status: 404,
  });
});

test("another organisation's records are not there", async () => {
  const { ORG_ADMIN } = rival.callers;
  const own = { organisationId: rival.organisationId };
  for (const mcpRecordId of [ids.search, ids.chat]) {
    const one = { params: { ...own, mcpRecordId } };
    expect((await server.refused(ORG_ADMIN, rest.getMcpUsageRecord, one)).status).toBe(404);
  }
  const { data } = await server.ok(ORG_ADMIN, rest.listMcpUsageRecords, { params: own });
  expect(data).toHaveLength(1);
  const csv = await server.ok(ORG_ADMIN, rest.exportMcpUsageRecords, { params: own });
  expect(csv).not.toContain(tenant.mcpServerId);
});

test('one is shown whole, with what was booked on top of it', async () => {
  const one = { params: { ...params, mcpRecordId: ids.search } };
  expect(await server.ok(admin, rest.getMcpUsageRecord, one)).toMatchObject({
    mcpServerId: tenant.mcpServerId,
    mcpServer: 'tools',
    method: 'tools/call',
    name: 'search',
    isError: false,
    jsonRpcErrorCode: null,
    protocolVersion: '2025-11-25',
    resultType: null,
    requestBytes: 120,
    responseBytes: 1_024,
    firstByteMs: 90,
    costUsd: '0.000001',
    traceId: MCP_RESULT.traceId,
    sessionSha256: '07'.repeat(32),
    calledAt: new Date(startMs).toISOString(),
    adjustments: [],
  });
  await server.ok(server.root, rest.correctUsageRecord, {
    params: { ...params, requestId: ids.search },
    body: { costUsd: '0.0005', reason: 'priced too low' },
  });
  const corrected = await server.ok(admin, rest.getMcpUsageRecord, one);
  expect(corrected).toMatchObject({
    costUsd: '0.000001',
    adjustments: [{ kind: 'CORRECTION', costUsd: '0.0005' }],
  });
  const { data } = await server.ok(admin, rest.listUsageAdjustments, { params });
  expect(data).toMatchObject([{ modelId: null, mcpServerId: tenant.mcpServerId }]);
});

test('usage records say what was asked of which server, and of models that it was none', async () => {
  const { data } = await server.ok(admin, rest.listUsageRecords, { params });
  const shown = new Map(data.map((record) => [nameOf(record.id), record]));
  expect(shown.get('prompt')).toMatchObject({
    modelId: null,
    model: '',
    providerId: null,
    operation: 'mcp_call',
    mcp: {
      serverId: tenant.mcpServerId,
      server: 'tools',
      method: 'prompts/get',
      name: 'greet',
    },
  });
  expect(shown.get('list')).toMatchObject({ operation: 'mcp_request', mcp: { name: null } });
  expect(shown.get('chat')?.mcp).toBeNull();
  const query = { mcpServerId: tenant.mcpServerId };
  expect((await server.ok(admin, rest.listUsageRecords, { params, query })).data).toHaveLength(5);
  const requestId = ids.prompt;
  const one = await server.ok(admin, rest.getUsageRecord, { params: { ...params, requestId } });
  expect(one).toMatchObject({ mcp: { method: 'prompts/get' }, attempts: [] });
});

/** Cells by column, of each line. None of the cells has a comma or quotes. */
function tableOf(csv: string): Record<string, string>[] {
  const [head = '', ...lines] = csv.trimEnd().split('\r\n');
  const names = head.split(',');
  return lines.map((line) => {
    const cells = line.split(',');
    return Object.fromEntries(names.map((name, at) => [name, cells[at] ?? '']));
  });
}

test('come as CSV, oldest first, with texts that no spreadsheet runs', async () => {
  const csv = await server.ok(admin, rest.exportMcpUsageRecords, { params });
  const rows = tableOf(csv);
  expect(rows.map(({ id }) => nameOf(id ?? ''))).toEqual([
    'search',
    'failed',
    'prompt',
    'list',
    'ofTeam',
  ]);
  expect(rows[1]).toMatchObject({ name: `'=1+1`, isError: 'true', costUsd: '0.000001' });
  expect(rows[2]).toMatchObject({
    errorCode: 'upstream_error',
    httpStatus: '502',
    jsonRpcErrorCode: '-32603',
  });
  const filtered = { params, query: { isError: 'true' as const } };
  expect(tableOf(await server.ok(admin, rest.exportMcpUsageRecords, filtered))).toHaveLength(1);
});

test('are exported for at most a quarter', async () => {
  const query = { from: new Date(Date.now() - 93 * 86_400_000).toISOString() };
  const refused = await server.refused(admin, rest.exportMcpUsageRecords, { params, query });
  expect(refused).toMatchObject({ status: 422, path: 'from' });
});

test('the export of usage records has the server and what was asked of it', async () => {
  const rows = tableOf(await server.ok(admin, rest.exportUsageRecords, { params }));
  const byName = new Map(rows.map((row) => [nameOf(row['id'] ?? ''), row]));
  expect(byName.get('prompt')).toMatchObject({
    model: '',
    mcpServerId: tenant.mcpServerId,
    mcpServer: 'tools',
    mcpMethod: 'prompts/get',
    mcpName: 'greet',
  });
  expect(byName.get('chat')).toMatchObject({ mcpServerId: '', mcpServer: '', mcpMethod: '' });
});

describe('usage by MCP server', () => {
  const grouped = { groupBy: 'mcp-server' as const };

  test('counts calls alone, and names the server', async () => {
    const query = { ...grouped, latency: 'true' as const };
    const { groups } = await server.ok(admin, rest.exploreUsage, { params, query });
    expect(new Set(groups.map(({ group }) => group.name))).toEqual(new Set([null, 'Tools']));
    const tools = groups.find(({ group }) => group.id === tenant.mcpServerId);
    expect(tools?.totals).toMatchObject({ requests: 4, errors: 1, latencyMs: { count: 5 } });
  });

  test('is the same by hour for one key, and in the rollup', async () => {
    const { mcpServerId, userKeyId } = tenant;
    const from = new Date(startMs - 3_600_000).toISOString();
    const query = { from, bucket: 'hour' as const, apiKeyId: userKeyId, mcpServerId };
    const { totals } = await server.ok(admin, rest.exploreUsage, { params, query });
    expect(totals.requests).toBe(3);
    const total = { ...grouped, bucket: 'total' as const, mcpServerId };
    const { data } = await server.ok(admin, rest.getUsageRollup, { params, query: total });
    expect(data).toMatchObject([{ group: { id: mcpServerId, name: 'Tools' }, requests: 4 }]);
  });

  test('is none for the server of another organisation', async () => {
    const query = { mcpServerId: rival.mcpServerId };
    const { totals } = await server.ok(admin, rest.exploreUsage, { params, query });
    expect(totals).toMatchObject({ requests: 0, costUsd: '0.00' });
  });
});
