// A collector that is frozen or gone, or refuses spans, costs requests nothing but their spans.

import { completion } from '../test-support/fake-upstream';
import { chat, startHarness, until, type Harness } from '../test-support/harness';
import { SERVER, useReceiver } from '../test-support/traces';

const CHAT = '/v1/chat/completions';
const REQUESTS = 400;

const { receiver, traced } = useReceiver(startHarness);

async function metric(h: Harness, name: string): Promise<number> {
  const text = await (await h.ops('/metrics')).text();
  const lines = text.split('\n').filter((line) => line.startsWith(name));
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
}

/** Every request is answered as without a collector. */
async function sendAll(h: Harness, count: number): Promise<void> {
  h.upstream.script = (res) => completion(res, {});
  for (let left = count; left > 0; left -= 20) {
    const answers = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const response = await h.post(CHAT, chat());
        return [response.status, (await response.text()).includes('Hello there')];
      }),
    );
    expect(answers).toEqual(Array.from({ length: 20 }, () => [200, true]));
  }
}

test('frozen, it has a bounded queue before it, and the rest is dropped and counted', async () => {
  const most = 100;
  const config = { OTEL_BSP_MAX_QUEUE_SIZE: most, OTEL_EXPORTER_OTLP_TIMEOUT: 600_000 };
  await traced(config, async (h) => {
    receiver().freeze();
    await sendAll(h, REQUESTS);
    await until(() => h.policy.heldNow() === 0, 'the holds to end');
    // Four spans a request: of the request, its decision, its attempt and its settle.
    const dropped = REQUESTS * 4 - most;
    const countDropped = (): Promise<number> =>
      metric(h, 'tollgate_trace_spans_dropped_total{reason="queue_full"');
    // The last ones are built when the next batch is due.
    await until(async () => (await countDropped()) === dropped, 'all spans that have no room');
    expect(await metric(h, 'tollgate_trace_queue_spans')).toBe(most);
    receiver().thaw();
    await until(() => receiver().spans.length >= most, 'the spans that waited');
    // It goes on with what follows.
    await sendAll(h, 20);
  });
  expect(receiver().spans.filter(({ kind }) => kind === SERVER).length).toBeGreaterThan(25);
});

test('gone while requests run, each has its answer, and lost spans are counted', async () => {
  const endpoint = 'http://127.0.0.1:1';
  const gone = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_TIMEOUT: 500 };
  await traced(gone, async (h) => {
    await sendAll(h, 40);
    const warned = (): boolean => h.log.some((line) => line.includes('spans could not be sent'));
    await until(warned, 'a failed batch');
    const lost = await metric(h, 'tollgate_trace_spans_dropped_total{reason="export_failed"');
    expect(lost).toBeGreaterThan(0);
    await sendAll(h, 20);
  });
});

describe.each(['http/json', 'http/protobuf', 'grpc'] as const)('by %s', (protocol) => {
  const settings = () => ({
    OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
    OTEL_EXPORTER_OTLP_ENDPOINT: protocol === 'grpc' ? receiver().grpcUrl : receiver().httpUrl,
    OTEL_BSP_SCHEDULE_DELAY: 20,
  });
  afterEach(() => receiver().refuseSpans(0));

  test('spans that it refuses of a batch that it takes are counted and logged', async () => {
    receiver().refuseSpans(3);
    await traced(settings(), async (h) => {
      await sendAll(h, 20);
      const lost = (): Promise<number> =>
        metric(h, 'tollgate_trace_spans_dropped_total{reason="export_failed"');
      await until(async () => (await lost()) > 0, 'an answer that refuses spans');
      expect((await lost()) % 3).toBe(0);
      expect(h.log.join()).toContain('the collector refused 3 of');
    });
  });

  test('batches share a connection', async () => {
    const before = receiver().connections();
    await traced(settings(), async (h) => {
      for (let batch = 1; batch <= 3; batch += 1) {
        await sendAll(h, 20);
        await until(() => receiver().requests.length >= batch, 'a batch');
      }
    });
    expect(receiver().requests.length).toBeGreaterThanOrEqual(3);
    // Over HTTP; at most two batches are sent at once.
    expect(receiver().connections() - before).toBeLessThanOrEqual(protocol === 'grpc' ? 0 : 2);
  });
});
