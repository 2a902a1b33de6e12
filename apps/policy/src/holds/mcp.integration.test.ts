import type { AuthorizeReply__Output, McpServerEntry__Output } from '@tollgate/contracts/node';
import { callUnary } from '@tollgate/kit';

import {
  context,
  limit,
  mcpAsk,
  mcpServer,
  settled,
  sha256,
  SUBJECT,
} from '../test-support/contexts';
import { eventually, FLOATS, startRig, type Rig } from '../test-support/rig';

// Requests to MCP servers: what they may use, hold and cost.

describe.each(FLOATS)('with floats $FLOATS', (floats) => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig({ ...floats, MCP_REQUESTS_PER_MINUTE: '5' });
  });
  afterAll(async () => {
    await rig.stop();
  });

  let organisations = 0;

  interface Setup {
    readonly servers?: readonly McpServerEntry__Output[];
    readonly limits?: readonly ReturnType<typeof limit>[];
    readonly grants?: Parameters<typeof context>[0];
  }

  /** A key of an organisation of its own. */
  function newKey({ servers = [mcpServer()], limits = [], grants }: Setup = {}) {
    organisations += 1;
    const organisationId = `org-mcp-${String(organisations)}`;
    const apiKeyId = `key-mcp-${String(organisations)}`;
    const keySha256 = sha256(apiKeyId);
    const subject = { ...SUBJECT, organisationId, apiKeyId };
    const own = limits.map((one) =>
      one.scopeType === 'ORGANISATION'
        ? { ...one, scopeId: organisationId, limitId: `${one.limitId}-${apiKeyId}` }
        : { ...one, limitId: `${one.limitId}-${apiKeyId}` },
    );
    rig.catalog.putKey(
      keySha256,
      context({
        subject,
        limits: own,
        mcpServers: [...servers],
        mcpServerIds: servers.map(({ serverId }) => serverId),
        ...grants,
      }),
    );
    return { keySha256, subject, limitIds: own.map(({ limitId }) => limitId) };
  }

  const tokenOf = ({ allow }: AuthorizeReply__Output): Buffer =>
    allow?.holdToken ?? Buffer.alloc(0);

  test('a call holds the price of its tool, and its record says what was called', async () => {
    const servers = [mcpServer({ toolNanoUsd: { search: '30000000' }, chargeFailures: true })];
    const { keySha256, limitIds } = newKey({ servers, limits: [limit()] });
    const request = mcpAsk({}, { keySha256, clientRequestId: 'mine' });
    const reply = await rig.authorize(request);
    expect(reply.allow).toMatchObject({
      heldNanoUsd: '30000000',
      candidates: [],
      mcp: {
        serverId: 'server-1',
        identifier: 'tools',
        connectionVersion: 1,
        chargeFailures: true,
      },
      limits: [{ limitId: limitIds[0], held: '30000000' }],
    });
    const mcp = {
      rpcErrorCode: 0,
      isError: true,
      protocolVersion: '2026-07-28',
      resultType: '',
      requestBytes: 100,
      responseBytes: 200,
      sessionSha256: sha256('session'),
      traceId: 'a'.repeat(32),
    };
    const settle = settled(request.requestId, tokenOf(reply), {
      usage: null,
      modelId: '',
      providerId: '',
      priceId: '',
      costNanoUsd: '30000000',
      mcp,
    });
    expect(await rig.settle(settle)).toMatchObject({ duplicate: false });
    const entry = await eventually('booked', () => {
      const found = rig.catalog.books.records.get(request.requestId);
      if (found === undefined) throw new Error('no record');
      return found;
    });
    expect(entry).toMatchObject({
      operation: 'mcp_call',
      modelId: '',
      clientRequestId: 'mine',
      heldNanoUsd: '30000000',
      mcp: { serverId: 'server-1', identifier: 'tools', method: 'tools/call', name: 'search' },
      settle: { costNanoUsd: '30000000', mcp: { ...mcp, sessionSha256: sha256('session') } },
    });
  });

  test('a repeated request gets the same hold and the same server', async () => {
    const { keySha256 } = newKey();
    const request = mcpAsk({}, { keySha256 });
    const first = await rig.authorize(request);
    const again = await rig.authorize(request);
    expect(again.allow).toMatchObject({ heldNanoUsd: '10000000', mcp: { serverId: 'server-1' } });
    expect(again.allow?.mcp).toEqual(first.allow?.mcp);
  });

  test('200 calls at once on a budget for 20: 20 are allowed', async () => {
    const { keySha256 } = newKey({ limits: [limit({ limit: '200000000' })] });
    const replies = await Promise.all(
      Array.from({ length: 200 }, () => rig.authorize(mcpAsk({}, { keySha256 }))),
    );
    expect(replies.filter(({ allow }) => allow)).toHaveLength(20);
    const denied = replies.find(({ denial }) => denial);
    expect(denied?.denial).toMatchObject({ code: 'budget_exceeded' });
  });

  test('a quota of one server counts its calls, not those of another', async () => {
    const servers = [mcpServer(), mcpServer({ serverId: 'server-2', identifier: 'others' })];
    const scope = { scopeType: 'MCP_SERVER', scopeId: 'server-1' };
    const quota = limit({
      limitId: 'quota',
      kind: 'QUOTA',
      metric: 'REQUESTS',
      limit: '1',
      ...scope,
    });
    const { keySha256, limitIds } = newKey({ servers, limits: [quota] });
    expect((await rig.authorize(mcpAsk({}, { keySha256 }))).allow).toBeTruthy();
    const refused = await rig.authorize(mcpAsk({ name: 'other' }, { keySha256 }));
    expect(refused.denial).toMatchObject({ code: 'quota_exceeded', limitId: limitIds[0] });
    expect(JSON.parse(refused.denial?.detailsJson ?? '')).toMatchObject({
      limit: { scope: { type: 'MCP_SERVER', id: 'server-1' }, metric: 'REQUESTS' },
    });
    expect((await rig.authorize(mcpAsk({ server: 'others' }, { keySha256 }))).allow).toBeTruthy();
  });

  test('unknown, switched off and ungranted servers are refused alike', async () => {
    const { keySha256 } = newKey({ grants: { mcpServerIds: [] } });
    const ungranted = await rig.authorize(mcpAsk({}, { keySha256 }));
    const unknown = await rig.authorize(mcpAsk({ server: 'nosuch' }, { keySha256 }));
    expect(ungranted.denial).toMatchObject({ code: 'mcp_access_denied' });
    const told = ({ denial }: AuthorizeReply__Output) => ({
      ...denial,
      detailsJson: denial?.detailsJson.replace(/nosuch/g, 'tools'),
    });
    expect(told(unknown)).toEqual(told(ungranted));
    const { denial } = await rig.authorize(mcpAsk({}, { keySha256: sha256('nobody') }));
    expect(denial).toMatchObject({ code: 'invalid_api_key' });
  });

  test('rules of the server and of the grant must both allow a name', async () => {
    const rules = (allowed: string[], denied: string[] = []) => ({
      tools: { allowed, denied },
      prompts: null,
      resources: { allowed: ['file:///public/*'], denied: [] },
    });
    const { keySha256 } = newKey({
      servers: [mcpServer({ rules: rules(['get_*', 'search']) })],
      grants: { mcpGrants: [{ serverId: 'server-1', rules: rules(['*'], ['get_secret']) }] },
    });
    const code = async (method: string, name: string): Promise<string> => {
      const { denial } = await rig.authorize(mcpAsk({ method, name }, { keySha256 }));
      return denial?.code ?? 'allow';
    };
    expect(await code('tools/call', 'get_user')).toBe('allow');
    expect(await code('tools/call', 'get_secret')).toBe('mcp_access_denied');
    expect(await code('tools/call', 'set_user')).toBe('mcp_access_denied');
    expect(await code('prompts/get', 'anything')).toBe('allow');
    expect(await code('resources/read', 'file:///public/a')).toBe('allow');
    expect(await code('resources/read', 'file:///private')).toBe('mcp_access_denied');
    for (const method of ['resources/read', 'resources/subscribe', 'resources/unsubscribe']) {
      expect(await code(method, 'file:///public/%2e%2e/private')).toBe('mcp_access_denied');
    }
    const { denial } = await rig.authorize(mcpAsk({ name: 'set_user' }, { keySha256 }));
    expect(JSON.parse(denial?.detailsJson ?? '')).toEqual({ server: 'tools', tool: 'set_user' });
  });

  test('lists and handshakes count in no limit, and have one of their own', async () => {
    const quota = limit({ limitId: 'quota', kind: 'QUOTA', metric: 'REQUESTS', limit: '1' });
    const { keySha256, subject } = newKey({
      limits: [quota, limit({ limitId: 'money', limit: '0' })],
    });
    for (let n = 0; n < 5; n += 1) {
      const request = mcpAsk({ method: 'tools/list', name: '' }, { keySha256 });
      const reply = await rig.authorize(request);
      expect(reply.allow).toMatchObject({ heldNanoUsd: '0' });
      // One that failed before it was sent counts like the others.
      const ended = n === 0 ? { cancelled: true } : { usage: null, costNanoUsd: '0', modelId: '' };
      await rig.settle(settled(request.requestId, tokenOf(reply), ended));
    }
    const { denial } = await rig.authorize(mcpAsk({ method: 'ping', name: '' }, { keySha256 }));
    expect(denial).toMatchObject({
      code: 'rate_limit_exceeded',
      limitId: `${subject.apiKeyId}:mcp`,
    });
    expect(denial?.retryAfterMs).toBeGreaterThan(0);
  });

  test('a call whose edge is lost is charged what it held', async () => {
    const { client } = await rig.another({ LEASE_MS: '300', LEASE_GRACE_MS: '100' });
    const { keySha256 } = newKey({ limits: [limit()] });
    const request = mcpAsk({}, { keySha256 });
    await callUnary(client, 'authorize', request, { deadlineMs: 15_000 });
    const entry = await eventually('abandoned', () => {
      const found = rig.catalog.books.records.get(request.requestId);
      if (found === undefined) throw new Error('no record');
      return found;
    });
    expect(entry).toMatchObject({
      mode: 'ABANDONED',
      mcp: { serverId: 'server-1', name: 'search' },
      settle: { costNanoUsd: '10000000' },
    });
  });
});
