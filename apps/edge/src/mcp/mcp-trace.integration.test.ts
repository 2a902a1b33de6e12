import { startOtlpReceiver, type OtlpReceiver } from '@tollgate/simulator';

import { until } from '../test-support/harness';
import { CALL, PATH, result, startMcpHarness } from './test-support/mcp-harness';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const OTHER = '5cf92f3577b34da6a3ce929d0e0e4736';
const CALLER = '00f067aa0ba902b7';
const parent = (trace: string) => `00-${trace}-${CALLER}-01`;

let receiver: OtlpReceiver;
beforeAll(async () => {
  receiver = await startOtlpReceiver();
});
beforeEach(() => {
  receiver.spans.length = 0;
});
afterAll(() => receiver.stop());

type McpHarness = Awaited<ReturnType<typeof startMcpHarness>>;

async function traced(use: (h: McpHarness) => Promise<void>) {
  const h = await startMcpHarness({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.httpUrl });
  try {
    await use(h);
    await until(() => h.policy.heldNow() === 0, 'the holds to end');
  } finally {
    await h.stop();
  }
  return receiver.spans;
}

const TOLD = {
  ...CALL,
  params: { ...CALL.params, _meta: { traceparent: parent(TRACE), tracestate: 'vendor=1' } },
};

test('the trace of a message goes on through the call of its server', async () => {
  let received: { headers?: Record<string, unknown>; raw?: Buffer } | undefined;
  const spans = await traced(async (h) => {
    await (await h.rpc(TOLD, { traceparent: parent(OTHER) })).text();
    expect((await h.settled()).traceId).toBe(TRACE);
    expect((await h.settled()).mcp?.traceId).toBe(TRACE);
    [received] = h.upstream.received;
  });
  const [server, call] = spans.filter(({ name }) => name === 'tools/call sum');
  expect(spans.map(({ name }) => name).sort()).toEqual([
    'authorize',
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
  const ours = `00-${TRACE}-${call?.spanId}-01`;
  expect(received?.headers).toMatchObject({ traceparent: ours, tracestate: 'vendor=1' });
  const sent = JSON.stringify({ jsonrpc: '2.0', ...TOLD });
  expect(received?.raw?.toString()).toBe(sent.replace(parent(TRACE), ours));
});

test('a tool that failed is an error of its call, and its texts stay out', async () => {
  const spans = await traced(async (h) => {
    const content = [{ type: 'text', text: 'the secret answer' }];
    h.upstream.script = (res, received) => result(res, received, { isError: true, content });
    await (await h.rpc({ ...CALL, params: { name: 'sum', arguments: { a: 'secret' } } })).text();
  });
  const call = spans.find(({ kind }) => kind === 3);
  expect(call).toMatchObject({ statusCode: 2, attributes: { 'error.type': 'tool_error' } });
  expect(JSON.stringify(spans.map(({ attributes }) => attributes))).not.toContain('secret');
});

test.each([
  ['a refused message', (h: McpHarness) => h.rpc({ id: 1 }), 'invalid_request'],
  ['no key', (h: McpHarness) => fetch(h.edge.url + PATH, { method: 'POST' }), 'missing_api_key'],
  ['a method that there is not', (h: McpHarness) => h.bare('PUT'), 'route_not_found'],
])('%s has one span of a server', async (_what, ask, code) => {
  const spans = await traced(async (h) => {
    await (await ask(h)).text();
  });
  expect(spans).toHaveLength(1);
  expect(spans[0]).toMatchObject({ kind: 2, attributes: { 'error.type': code } });
});
