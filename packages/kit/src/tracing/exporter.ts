// Keeps finished spans until a thread has sent them. The queue is bounded in spans and in bytes: while the
// collector is slow or away spans are dropped and counted, and nothing waits for it.

import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';

import type { Logger } from '../logger';
import type { OtlpEncoder } from './otlp-encoder';
import type { BatchSent, FinishedTrace, SendSettings, SpanBatch } from './span';

export type DropReason = 'queue_full' | 'export_failed' | 'stopped' | 'failed';

export interface SpanExporter {
  readonly add: (trace: FinishedTrace) => void;
  /**
   * Builds the trace with others, before the next batch is sent at the latest. `build` must read nothing that
   * changes until then. While few requests are traced, what builds a trace has left the processor's caches by the
   * time of the next one: of thirty-two together each takes a fifth of the time.
   */
  readonly addLater: (build: () => FinishedTrace) => void;
  /** Spans that wait or are being sent. */
  readonly waiting: () => number;
  /** Sends what waits, for at most so long. */
  readonly stop: (deadlineMs: number) => Promise<void>;
}

/** The sending thread, as far as it is used. */
export interface SendingThread {
  on: (event: 'message' | 'error' | 'exit', listener: (value: unknown) => void) => unknown;
  postMessage: (batch: SpanBatch, transferred: ArrayBuffer[]) => void;
  terminate: () => Promise<unknown>;
}

export interface SpanExporterDeps {
  readonly start: () => SendingThread;
  readonly encoder: OtlpEncoder;
  readonly log: Pick<Logger, 'warn' | 'info'>;
  readonly dropped: (reason: DropReason, spans: number) => void;
  readonly sent: (spans: number) => void;
  readonly limits?: Partial<QueueLimits>;
}

export interface QueueLimits {
  readonly spans: number;
  /** Of encoded spans. */
  readonly bytes: number;
  readonly batchSpans: number;
  readonly batchBytes: number;
  /** Batches at the thread at once. */
  readonly running: number;
  /** How long a span waits for others. */
  readonly delayMs: number;
}

/** How many traces wait to be built. Together they take the event loop less than a millisecond. */
const UNBUILT_MOST = 32;

const LIMITS: QueueLimits = {
  spans: 16_384,
  bytes: 16 * 1024 * 1024,
  batchSpans: 512,
  // Collectors accept messages of 4 MiB.
  batchBytes: 1024 * 1024,
  running: 2,
  delayMs: 5_000,
};

interface Waiting {
  readonly encoded: Uint8Array;
  readonly spans: number;
}

interface Batch {
  readonly spans: number;
  readonly bytes: number;
}

interface Queue {
  readonly deps: SpanExporterDeps;
  readonly limits: QueueLimits;
  unbuilt: (() => FinishedTrace)[];
  readonly waiting: Waiting[];
  readonly running: Map<number, Batch>;
  thread: SendingThread | undefined;
  timer: NodeJS.Timeout | undefined;
  spans: number;
  bytes: number;
  waitingSpans: number;
  nextId: number;
  /** The last batch failed, which was logged. */
  failing: boolean;
  stopped: boolean;
  onIdle: (() => void) | undefined;
}

export function createSpanExporter(deps: SpanExporterDeps): SpanExporter {
  const queue: Queue = {
    deps,
    limits: { ...LIMITS, ...deps.limits },
    unbuilt: [],
    waiting: [],
    running: new Map(),
    thread: undefined,
    timer: undefined,
    spans: 0,
    bytes: 0,
    waitingSpans: 0,
    nextId: 1,
    failing: false,
    stopped: false,
    onIdle: undefined,
  };
  // Loading what it needs takes a while, which the first spans need not wait for.
  queue.thread = open(queue);
  return {
    add: (trace) => add(queue, trace),
    addLater: (build) => addLater(queue, build),
    waiting: () => queue.spans,
    stop: (deadlineMs) => stop(queue, deadlineMs),
  };
}

function addLater(queue: Queue, build: () => FinishedTrace): void {
  queue.unbuilt.push(build);
  if (queue.unbuilt.length >= UNBUILT_MOST || queue.stopped) buildAll(queue);
  else sendSoon(queue);
}

function buildAll(queue: Queue): void {
  const builders = queue.unbuilt;
  queue.unbuilt = [];
  for (const build of builders) {
    let trace: FinishedTrace;
    try {
      trace = build();
    } catch (error) {
      failed(queue, 1, error);
      continue;
    }
    add(queue, trace);
  }
}

/** A fault of the program. Whoever has ended a request must not see it. */
function failed({ deps }: Queue, spans: number, error: unknown): void {
  deps.log.warn('a trace could not be built', { error });
  deps.dropped('failed', spans);
}

function sendSoon(queue: Queue, afterMs = queue.limits.delayMs): void {
  queue.timer ??= setTimeout(() => send(queue), afterMs).unref();
}

function add(queue: Queue, trace: FinishedTrace): void {
  const { deps, limits } = queue;
  const { length: spans } = trace.spans;
  if (queue.stopped) return deps.dropped('stopped', spans);
  // Before anything is encoded: a full queue must cost nothing.
  if (queue.spans + spans > limits.spans) return deps.dropped('queue_full', spans);
  let encoded: Uint8Array;
  try {
    encoded = deps.encoder.trace(trace);
  } catch (error) {
    return failed(queue, spans, error);
  }
  if (queue.bytes + encoded.length > limits.bytes) return deps.dropped('queue_full', spans);
  queue.waiting.push({ encoded, spans });
  queue.spans += spans;
  queue.bytes += encoded.length;
  queue.waitingSpans += spans;
  if (queue.waitingSpans >= limits.batchSpans) send(queue);
  else sendSoon(queue);
}

/** Gives the thread what waits, as far as it takes more. */
function send(queue: Queue): void {
  const { deps, limits, running, waiting } = queue;
  buildAll(queue);
  clearTimeout(queue.timer);
  queue.timer = undefined;
  while (waiting.length > 0 && running.size < limits.running) {
    const taken = take(queue);
    const id = queue.nextId;
    queue.nextId += 1;
    running.set(id, taken);
    queue.thread ??= open(queue);
    const request = deps.encoder.request(taken.traces);
    queue.thread.postMessage({ id, request }, [request.buffer]);
  }
}

function take(queue: Queue): Batch & { traces: Uint8Array[] } {
  const { limits, waiting } = queue;
  let [count, spans, bytes] = [0, 0, 0];
  for (const one of waiting) {
    const full =
      spans + one.spans > limits.batchSpans || bytes + one.encoded.length > limits.batchBytes;
    if (full && count > 0) break;
    count += 1;
    spans += one.spans;
    bytes += one.encoded.length;
  }
  queue.waitingSpans -= spans;
  return { spans, bytes, traces: waiting.splice(0, count).map(({ encoded }) => encoded) };
}

function open(queue: Queue): SendingThread {
  const thread = queue.deps.start();
  thread.on('message', (sent) => ended(queue, sent as BatchSent));
  thread.on('error', (error) => lost(queue, thread, String(error)));
  thread.on('exit', () => lost(queue, thread, 'the thread ended'));
  return thread;
}

function ended(queue: Queue, { error, id, refused }: BatchSent): void {
  const batch = queue.running.get(id);
  if (!batch) return;
  queue.running.delete(id);
  queue.spans -= batch.spans;
  queue.bytes -= batch.bytes;
  note(queue, batch.spans, error, Math.min(refused, batch.spans));
  send(queue);
  if (queue.running.size === 0) queue.onIdle?.();
}

/** Logs the first failure and the first success after it; the counters have the rest. */
function note(queue: Queue, spans: number, error: string | undefined, refused: number): void {
  const { dropped, log, sent } = queue.deps;
  const lost = error === undefined ? refused : spans;
  if (lost > 0) dropped('export_failed', lost);
  if (lost < spans) sent(spans - lost);
  const failing = lost > 0;
  if (failing && !queue.failing) {
    const reason = error ?? `the collector refused ${String(refused)} of ${String(spans)} spans`;
    log.warn('spans could not be sent', { reason });
  }
  if (!failing && queue.failing) log.info('spans are sent again');
  queue.failing = failing;
}

/** What the thread had is gone. The next batch starts another one. */
function lost(queue: Queue, thread: SendingThread, reason: string): void {
  if (queue.thread !== thread) return;
  queue.thread = undefined;
  for (const [id, { bytes, spans }] of queue.running) {
    queue.running.delete(id);
    queue.spans -= spans;
    queue.bytes -= bytes;
    note(queue, spans, reason, 0);
  }
  if (queue.waiting.length > 0) sendSoon(queue, RESTART_MS);
  queue.onIdle?.();
}

const RESTART_MS = 5_000;

async function stop(queue: Queue, deadlineMs: number): Promise<void> {
  send(queue);
  queue.stopped = true;
  if (queue.running.size > 0) {
    let late: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      late = setTimeout(resolve, deadlineMs);
      queue.onIdle = () => {
        if (queue.running.size === 0 && queue.waiting.length === 0) resolve();
      };
    });
    clearTimeout(late);
  }
  const { thread } = queue;
  queue.thread = undefined;
  clearTimeout(queue.timer);
  if (queue.spans > 0) queue.deps.dropped('stopped', queue.spans);
  await thread?.terminate();
}

/** Sending takes little memory; a thread that needs more is ended instead of the process. */
const THREAD_MEMORY_MB = 128;

/** Starts the thread. OpenTelemetry's modules are loaded there and nowhere else. */
export function startSendingThread(settings: SendSettings): SendingThread {
  const thread = new Worker(join(__dirname, `thread${extname(__filename)}`), {
    workerData: settings,
    name: 'spans',
    resourceLimits: { maxOldGenerationSizeMb: THREAD_MEMORY_MB },
    // The thread needs neither the process's options nor its environment.
    execArgv: ['--disable-warning=MODULE_TYPELESS_PACKAGE_JSON'],
    env: {},
  });
  // The thread does not keep an idle process alive.
  thread.unref();
  return thread;
}
