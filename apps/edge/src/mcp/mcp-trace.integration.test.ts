import { CALLER, named, parentOf, printed, TRACE, useReceiver } from '../test-support/traces';
import { CALL, PATH, result, startMcpHarness, type McpHarness } from './test-support/mcp-harness';

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
