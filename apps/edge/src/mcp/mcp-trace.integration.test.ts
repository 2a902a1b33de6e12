import { serviceAt, startFakeService } from '../screening/test-support/fake-service';
import { ruleOf } from '../screening/test-support/rules';
import {
  CALLER,
  CLIENT,
  named,
  parentOf,
  printed,
  SERVER,
  TRACE,
  useReceiver,
} from '../test-support/traces';
import {
  CALL,
  event,
  openEvents,
  PATH,
  result,
  startMcpHarness,
  type McpHarness,
} from './test-support/mcp-harness';

const OTHER = '5cf92f3577b34da6a3ce929d0e0e4736';

const { traced } = useReceiver(startMcpHarness);

const TOLD = {
  ...CALL,
  params: { ...CALL.params, _meta: { traceparent: parentOf(TRACE), tracestate: 'vendor=1' } },
};

test('the trace of a message goes on through the call of its server', async () => {
  let received: { headers?: Record<string, unknown>; raw?: Buffer } | undefined;
  let settledBy = '';
  const spans = await traced({}, async (h) => {
    await (await h.rpc(TOLD, { traceparent: parentOf(OTHER) })).text();
    const settle = await h.settled();
    expect([settle.traceId, settle.mcp?.traceId]).toEqual([TRACE, TRACE]);
    settledBy = settle.spanId;
    [received] = h.upstream.received;
  });
  const [server, call] = spans.filter(({ name }) => name === 'tools/call sum');
  expect(spans.map(({ name }) => name).sort()).toEqual([
    'authorize',
    'settle',
    'tools/call sum',
    'tools/call sum',
  ]);
  expect(server).toMatchObject({
    traceId: TRACE,
    parentSpanId: CALLER,
    kind: 2,
    // The HTTP request belongs to another trace.
    links: [{ traceId: OTHER, spanId: CALLER }],
    attributes: {
      'mcp.method.name': 'tools/call',
      'mcp.protocol.version': '2025-11-25',
      'gen_ai.tool.name': 'sum',
      'gen_ai.operation.name': 'execute_tool',
      'jsonrpc.request.id': '7',
      'http.route': '/v1/mcp/:identifier',
      'tollgate.mcp.server': 'files',
      'tollgate.cost_nano_usd': '2000000',
    },
  });
  expect(call).toMatchObject({ traceId: TRACE, parentSpanId: server?.spanId, kind: 3 });
  expect(named(spans, 'settle').spanId).toBe(settledBy);
  const ours = `00-${TRACE}-${call?.spanId}-01`;
  expect(received?.headers).toMatchObject({ traceparent: ours, tracestate: 'vendor=1' });
  const sent = JSON.stringify({ jsonrpc: '2.0', ...TOLD });
  expect(received?.raw?.toString()).toBe(sent.replace(parentOf(TRACE), ours));
});

test('a tool that failed is an error of its call, and its texts stay out', async () => {
  const spans = await traced({}, async (h) => {
    const content = [{ type: 'text', text: 'the secret answer' }];
    h.upstream.script = (res, received) => result(res, received, { isError: true, content });
    await (await h.rpc({ ...CALL, params: { name: 'sum', arguments: { a: 'secret' } } })).text();
  });
  const call = spans.find(({ kind }) => kind === 3);
  expect(call).toMatchObject({ statusCode: 2, attributes: { 'error.type': 'tool_error' } });
  expect(printed(spans)).not.toContain('secret');
});

test.each([
  ['a refused message', (h: McpHarness) => h.rpc({ id: 1 }), 'invalid_request'],
  ['no key', (h: McpHarness) => fetch(h.edge.url + PATH, { method: 'POST' }), 'missing_api_key'],
  ['a method that there is not', (h: McpHarness) => h.bare('PUT'), 'route_not_found'],
])('%s has one span of a server', async (_what, ask, code) => {
  const spans = await traced({}, async (h) => {
    await (await ask(h)).text();
  });
  expect(spans).toHaveLength(1);
  expect(spans[0]).toMatchObject({ kind: 2, attributes: { 'error.type': code } });
});

test.each<[string, (h: McpHarness) => Promise<unknown>, object]>([
  [
    'a client that left',
    async (h) => {
      const leaving = new AbortController();
      h.upstream.script = () => leaving.abort();
      await h.rpc(CALL, {}, { signal: leaving.signal }).catch(() => undefined);
    },
    { 'tollgate.outcome': 'CLIENT_CLOSED' },
  ],
  [
    'policy away',
    async (h) => {
      await h.policy.stop();
      await h.rpc(CALL);
    },
    { 'http.response.status_code': 503, 'error.type': 'dependency_unavailable' },
  ],
])('%s has one span of a server', async (what, ask, attributes) => {
  // Only then is the whole deadline waited for.
  const deadline = what === 'policy away' ? { POLICY_DEADLINE_MS: 500 } : {};
  const spans = await traced(deadline, ask);
  const servers = spans.filter(({ kind }) => kind === SERVER);
  expect(servers).toHaveLength(1);
  expect(servers[0]?.attributes).toMatchObject(attributes);
});

test('a stream of many messages has a bounded number of spans', async () => {
  const service = await startFakeService();
  const asked = 140;
  const spans = await traced({}, async (h) => {
    const given = { id: 'judge', kind: 'EXTERNAL', service: 'checker', timeoutMs: 10_000 };
    const rule = ruleOf({ ...given, action: 'BLOCK', where: ['MCP_RESULT'] });
    const policy = { policyId: 'policy-mcp', version: 1 };
    h.catalog.screeningPolicies.set('policy-mcp:1', {
      ...policy,
      organisationId: 'org-1',
      identifier: 'house',
      rulesJson: JSON.stringify([rule]),
      services: [serviceAt(service.url)],
      serviceKeyIds: [],
    });
    h.serve({}, { screening: [policy] });
    h.upstream.script = (res) => {
      openEvents(res);
      for (let at = 1; at < asked; at += 1) {
        const params = { level: 'info', data: `message ${at}` };
        res.write(event({ method: 'notifications/message', params }));
      }
      res.end(event({ id: CALL.id, result: { content: [{ type: 'text', text: 'the end' }] } }));
    };
    await (await h.rpc(CALL)).text();
  });
  await service.stop();
  expect(service.asked).toHaveLength(asked);
  const [server] = spans.filter(({ kind }) => kind === SERVER);
  const questions = spans.filter(({ name }) => name === 'screen house/judge').length;
  expect(questions).toBeLessThan(128);
  expect(server?.attributes['tollgate.guardrail.left_out']).toBe(asked - questions);
  expect(spans.some(({ name }) => name === 'settle')).toBe(true);
});

describe('arguments and results', () => {
  const ARGUMENTS = 'gen_ai.tool.call.arguments';
  const RESULT = 'gen_ai.tool.call.result';
  const value = (text: string) => ({ content: [{ type: 'text', text }] });
  const call = (args: object) => ({ ...CALL, params: { name: 'sum', arguments: args } });

  test.each([false, true])('are on the span of the call, if wanted (stream %s)', async (stream) => {
    const spans = await traced({}, async (h) => {
      h.serve({}, {}, { traceContent: true });
      h.upstream.script = (res, received) => {
        if (!stream) return result(res, received, value('five'));
        openEvents(res);
        res.write(event({ method: 'notifications/progress', params: { progress: 1 } }));
        res.end(event({ id: CALL.id, result: value('five') }));
        return undefined;
      };
      await (await h.rpc(call({ a: 2, b: 3 }))).text();
    });
    const [client] = spans.filter(({ kind }) => kind === CLIENT);
    expect(client?.attributes).toMatchObject({
      [ARGUMENTS]: '{"a":2,"b":3}',
      [RESULT]: JSON.stringify(value('five')),
    });
    expect(printed(spans.filter(({ kind }) => kind !== CLIENT))).not.toContain('five');
  });

  test('are cut with a mark', async () => {
    const spans = await traced({ TRACE_CONTENT_CHARACTERS: 256 }, async (h) => {
      h.serve({}, {}, { traceContent: true });
      const long = value('x'.repeat(300_000));
      h.upstream.script = (res, received) => result(res, received, long);
      await (await h.rpc(call({ a: 'y'.repeat(1_000) }))).text();
    });
    const [client] = spans.filter(({ kind }) => kind === CLIENT);
    expect(client?.attributes['tollgate.content.cut']).toBe(true);
    expect(client?.attributes[RESULT]).toBeUndefined();
    expect(client?.attributes[ARGUMENTS]).toMatch(/^\{"a":"y{250}… \[cut\]$/);
  });

  test('have nothing that a rule masks, and its screening is in the trace', async () => {
    let got = '';
    const spans = await traced({}, async (h) => {
      const rules = [ruleOf({ kind: 'PERSONAL_DATA', action: 'MASK', where: ['MCP_REQUEST'] })];
      const policy = { policyId: 'policy-mcp', version: 1 };
      h.catalog.screeningPolicies.set('policy-mcp:1', {
        ...policy,
        organisationId: 'org-1',
        identifier: 'house',
        rulesJson: JSON.stringify(rules),
        services: [],
        serviceKeyIds: [],
      });
      h.serve({}, { screening: [policy] }, { traceContent: true });
      h.upstream.script = (res, received) => result(res, received, value('sent to <EMAIL_1>'));
      got = await (await h.rpc(call({ to: 'ann@example.com' }))).text();
    });
    expect(got).toContain('ann@example.com');
    const [client] = spans.filter(({ kind }) => kind === CLIENT);
    expect(client?.attributes).toMatchObject({
      [ARGUMENTS]: '{"to":"<EMAIL_1>"}',
      [RESULT]: JSON.stringify(value('sent to <EMAIL_1>')),
    });
    expect(printed(spans)).not.toContain('ann@example.com');
    expect(named(spans, 'screen rules').parentSpanId).toBe(named(spans, 'screening').spanId);
  });
});
