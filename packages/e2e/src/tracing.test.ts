import { startOtlpReceiver, type OtlpReceiver, type ReceivedSpan } from '@tollgate/simulator';

import {
  chat,
  eventually,
  expectStatus,
  newTenant,
  recordOf,
  requestIdOf,
  startGateway,
  type Gateway,
} from '.';

// One request through all services, with a collector beside them.

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CALLER = 'b7ad6b7169203331';
const SAMPLED = { traceparent: `00-${TRACE}-${CALLER}-01` };

let receiver: OtlpReceiver;
let gateway: Gateway;
let stop: () => Promise<void> = async () => undefined;
beforeAll(async () => {
  receiver = await startOtlpReceiver();
  const tracing = {
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.httpUrl,
    OTEL_BSP_SCHEDULE_DELAY: '100',
  };
  gateway = await startGateway({ env: { edge: tracing, policy: tracing, catalog: tracing } });
  stop = gateway.stop;
});
afterAll(async () => {
  await stop();
  await receiver.stop();
});

/** The spans of one trace, once the catalog's has come too. */
const spansOf = (traceId: string): Promise<readonly ReceivedSpan[]> =>
  eventually('the span of the ledger', async () => {
    const spans = receiver.spans.filter((span) => span.traceId === traceId);
    return spans.some(({ name }) => name === 'ledger append') && spans;
  });

/** The tree below a span, by names and the service that told each. */
function treeBelow(spans: readonly ReceivedSpan[], parentSpanId: string): object {
  const children = spans.filter((span) => span.parentSpanId === parentSpanId);
  return Object.fromEntries(
    children.map(({ name, resource, spanId }) => [
      `${String(resource['service.name']).replace('tollgate-', '')}: ${name}`,
      treeBelow(spans, spanId),
    ]),
  );
}

test('a request is one tree of all services, and its record has the id of the trace', async () => {
  const tenant = await newTenant(gateway);
  const { key } = await tenant.key();
  const answer = expectStatus(await chat(gateway.edgeUrl(), key, {}, SAMPLED), 200);
  const spans = await eventually('all spans', async () => {
    const some = await spansOf(TRACE);
    return some.length === 6 && some;
  });
  expect(treeBelow(spans, CALLER)).toEqual({
    'edge: POST /v1/chat/completions': {
      'edge: authorize': { 'policy: policy authorize': {} },
      'edge: chat sim': {},
      'edge: settle': { 'catalog: ledger append': {} },
    },
  });
  expect(await recordOf(gateway, tenant, requestIdOf(answer))).toMatchObject({ traceId: TRACE });
});

test('texts are in traces of an organisation from when it switches them on', async () => {
  const tenant = await newTenant(gateway);
  const { key } = await tenant.key();
  const messages = [{ role: 'user', content: 'the question of the tenant' }];
  /** Of a request whose trace begins at the gateway. */
  const attributesOf = async (): Promise<ReceivedSpan['attributes']> => {
    const answer = expectStatus(await chat(gateway.edgeUrl(), key, { messages }), 200);
    const spans = await spansOf(requestIdOf(answer).replaceAll('-', ''));
    return spans.find(({ name }) => name === 'chat sim')?.attributes ?? {};
  };
  expect(JSON.stringify(await attributesOf())).not.toContain('the question');
  expectStatus(await gateway.rest.patch(`${tenant.base}/settings`, { traceContent: true }), 200);
  const told = await eventually('a request with texts', async () => {
    const attributes = await attributesOf();
    return attributes['gen_ai.input.messages'] !== undefined && attributes;
  });
  expect(JSON.parse(String(told['gen_ai.input.messages']))).toEqual([
    { role: 'user', parts: [{ type: 'text', content: 'the question of the tenant' }] },
  ]);
  expect(JSON.parse(String(told['gen_ai.output.messages']))).toMatchObject([
    { role: 'assistant', parts: [{ type: 'text' }], finish_reason: 'stop' },
  ]);
});
