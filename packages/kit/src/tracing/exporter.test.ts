import {
  createSpanExporter,
  type DropReason,
  type QueueLimits,
  type SendingThread,
} from './exporter';
import type { OtlpEncoder } from './otlp-encoder';
import type { FinishedTrace, SpanBatch } from './span';

const trace = (spans: number, text = ''): FinishedTrace => ({
  traceId: '1'.repeat(32),
  state: '',
  spans: Array.from({ length: spans }, () => ({
    name: text,
    kind: 'SERVER',
    spanId: '2'.repeat(16),
    parentSpanId: '',
    startMs: 1,
    endMs: 2,
    attributes: [],
  })),
});

/** Bytes that a test can read. */
const ENCODER: OtlpEncoder = {
  trace: (one) => Buffer.from(JSON.stringify(one)),
  request: (traces) => new TextEncoder().encode(`[${traces.map(String).join(',')}]`),
};

function setup(limits: Partial<QueueLimits>) {
  const batches: SpanBatch[] = [];
  const listeners = new Map<string, (value: unknown) => void>();
  const dropped: [DropReason, number][] = [];
  const lines: string[] = [];
  const counts = { sent: 0, started: 0, ended: 0 };
  const start = (): SendingThread => {
    counts.started += 1;
    return {
      on: (event, listener) => listeners.set(event, listener),
      postMessage: (batch) => batches.push(batch),
      terminate: () => Promise.resolve((counts.ended += 1)),
    };
  };
  const exporter = createSpanExporter({
    start,
    encoder: ENCODER,
    log: { warn: (line) => lines.push(line), info: (line) => lines.push(line) },
    dropped: (reason, spans) => dropped.push([reason, spans]),
    sent: (spans) => (counts.sent += spans),
    limits,
  });
  const tell = (event: string, value?: unknown) => listeners.get(event)?.(value);
  const answer = (id: number, error?: string, refused = 0) =>
    tell('message', { id, error, refused });
  return { exporter, batches, dropped, lines, counts, tell, answer };
}

const spansIn = ({ request }: SpanBatch) =>
  (JSON.parse(Buffer.from(request).toString()) as FinishedTrace[]).map(({ spans }) => spans.length);

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test('a span waits for others, and a full batch goes at once', () => {
  const { batches, counts, exporter, answer } = setup({ batchSpans: 4, delayMs: 100 });
  exporter.add(trace(3));
  jest.advanceTimersByTime(99);
  expect(batches).toHaveLength(0);
  jest.advanceTimersByTime(1);
  exporter.add(trace(4));
  expect(batches.map(spansIn)).toEqual([[3], [4]]);
  answer(1);
  answer(2);
  expect([counts.sent, exporter.waiting()]).toEqual([7, 0]);
});

test('while the collector is frozen the queue stays bounded and the rest is counted', () => {
  const { answer, batches, dropped, exporter } = setup({ spans: 10, batchSpans: 2, running: 2 });
  for (let at = 0; at < 1_000; at += 1) exporter.add(trace(2));
  expect(exporter.waiting()).toBe(10);
  expect(batches).toHaveLength(2);
  expect(dropped).toHaveLength(995);
  expect(new Set(dropped.map(([reason]) => reason))).toEqual(new Set(['queue_full']));
  for (let id = 1; id <= 5; id += 1) answer(id);
  expect(exporter.waiting()).toBe(0);
});

test('the queue is bounded in bytes too', () => {
  const { dropped, exporter } = setup({ bytes: 2_000, batchSpans: 100 });
  exporter.add(trace(1, 'x'.repeat(1_500)));
  exporter.add(trace(1, 'x'.repeat(1_500)));
  expect([exporter.waiting(), dropped]).toEqual([1, [['queue_full', 1]]]);
});

test('a batch is bounded in bytes', () => {
  const { batches, exporter } = setup({ batchSpans: 3, batchBytes: 2_000 });
  for (let at = 0; at < 3; at += 1) exporter.add(trace(1, 'x'.repeat(1_500)));
  expect(batches.map(spansIn)).toEqual([[1], [1]]);
});

test('what the collector refuses is counted, and logged once', () => {
  const { answer, dropped, exporter, lines } = setup({ batchSpans: 1 });
  for (let id = 1; id <= 3; id += 1) {
    exporter.add(trace(1));
    answer(id, id < 3 ? 'refused' : undefined);
  }
  expect(dropped).toEqual([
    ['export_failed', 1],
    ['export_failed', 1],
  ]);
  expect(lines).toEqual(['spans could not be sent', 'spans are sent again']);
});

test('spans that a collector refuses of a batch that it takes are counted as dropped', () => {
  const { answer, counts, dropped, exporter, lines } = setup({ batchSpans: 5 });
  exporter.add(trace(5));
  answer(1, undefined, 2);
  expect([counts.sent, dropped]).toEqual([3, [['export_failed', 2]]]);
  expect(lines).toEqual(['spans could not be sent']);
});

test('traces that may wait are built together, before their batch is sent', () => {
  const { batches, dropped, exporter, lines } = setup({ delayMs: 100 });
  const build = jest.fn(() => trace(1));
  for (let at = 0; at < 33; at += 1) exporter.addLater(build);
  expect(build).toHaveBeenCalledTimes(32);
  exporter.addLater(() => {
    throw new Error('a fault of the program');
  });
  exporter.addLater(build);
  jest.advanceTimersByTime(100);
  expect(batches.map(spansIn)).toEqual([Array.from({ length: 34 }, () => 1)]);
  expect(lines).toEqual(['a trace could not be built']);
  expect(dropped).toEqual([['failed', 1]]);
});

test('a trace that cannot be encoded is counted, and throws nothing at who adds it', () => {
  const { dropped, exporter, lines } = setup({});
  const circular: { self?: unknown } = {};
  circular.self = circular;
  exporter.add({ ...trace(2), state: circular as never });
  expect([exporter.waiting(), dropped]).toEqual([0, [['failed', 2]]]);
  expect(lines).toEqual(['a trace could not be built']);
});

test('what waits after a batch waits for its whole time', () => {
  const { batches, exporter } = setup({ delayMs: 100 });
  exporter.addLater(() => trace(1));
  jest.advanceTimersByTime(100);
  jest.advanceTimersByTime(50);
  exporter.add(trace(2));
  jest.advanceTimersByTime(99);
  expect(batches.map(spansIn)).toEqual([[1]]);
  jest.advanceTimersByTime(1);
  expect(batches.map(spansIn)).toEqual([[1], [2]]);
});

test('traces that wait to be built are built at the end', async () => {
  const { answer, batches, dropped, exporter } = setup({});
  exporter.addLater(() => trace(2));
  const stopping = exporter.stop(1_000);
  answer(1);
  await stopping;
  expect(batches.map(spansIn)).toEqual([[2]]);
  exporter.addLater(() => trace(3));
  expect(dropped).toEqual([['stopped', 3]]);
});

test('a thread that dies takes only its own batches with it', () => {
  const { batches, counts, dropped, exporter, tell } = setup({ batchSpans: 1, running: 1 });
  exporter.add(trace(1));
  exporter.add(trace(1));
  tell('error', new Error('out of memory'));
  tell('exit');
  expect([exporter.waiting(), dropped]).toEqual([1, [['export_failed', 1]]]);
  jest.advanceTimersByTime(5_000);
  expect([batches.length, counts.started]).toEqual([2, 2]);
});

test('the end waits for the last spans, but not for ever', async () => {
  const { batches, counts, dropped, exporter } = setup({ batchSpans: 10 });
  exporter.add(trace(2));
  const stopping = exporter.stop(1_000);
  expect(batches.map(spansIn)).toEqual([[2]]);
  jest.advanceTimersByTime(1_000);
  await stopping;
  exporter.add(trace(1));
  expect([counts.ended, dropped]).toEqual([
    1,
    [
      ['stopped', 2],
      ['stopped', 1],
    ],
  ]);
});

test('the end comes with the last answer', async () => {
  const { answer, counts, dropped, exporter } = setup({ batchSpans: 10 });
  exporter.add(trace(2));
  const stopping = exporter.stop(1_000_000);
  answer(1);
  await stopping;
  expect([counts.sent, counts.ended, dropped]).toEqual([2, 1, []]);
});
