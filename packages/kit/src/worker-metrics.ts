import cluster, { type Worker } from 'node:cluster';
import {
  AggregatorRegistry,
  type MetricObjectWithValues,
  type MetricValue,
  type Registry,
} from 'prom-client';

import { withDeadline } from './deadline';

// A scrape reaches one worker but means all: the worker asks the primary, which asks every worker and sums their
// figures. What workers counted that have ended stays in the sum: a counter that falls looks like a restart, and
// Prometheus would count the rest of it a second time.

const DEADLINE_MS = 10_000;
const WORKER_DEADLINE_MS = 5_000;

type Figures = readonly MetricObjectWithValues<MetricValue<string>>[];

/** From a worker, on behalf of a scrape. */
interface Question {
  readonly tollgateMetrics: 'all?';
  readonly id: number;
}
/** From the primary, for the scrape. */
interface Reply {
  readonly tollgateMetrics: 'all';
  readonly id: number;
  readonly text?: string;
  readonly problem?: string;
}
/** From the primary, to each worker. */
interface OwnQuestion {
  readonly tollgateMetrics: 'own?';
  readonly id: number;
}
/** From a worker. Without an id: its first or last figures, which nobody asked for. */
interface OwnReply {
  readonly tollgateMetrics: 'own';
  readonly id?: number;
  readonly figures?: Figures;
  readonly problem?: string;
}
type Message = Question | Reply | OwnQuestion | OwnReply;

let own: Registry | undefined;

/** The metrics of all workers; this registry has only this worker's. */
export function metricsOfAll(registry: Registry): () => Promise<string> {
  const waiting = new Map<number, (reply: Reply) => void>();
  let asked = 0;
  own = registry;
  process.on('message', (message: unknown) => {
    if (isOurs(message, 'all')) waiting.get(message.id)?.(message);
    if (isOurs(message, 'own?')) void tellOwn(registry, message.id);
  });
  // A question to a worker that does not listen yet would be lost.
  process.send?.({ tollgateMetrics: 'own', figures: [] } satisfies OwnReply);
  return async () => {
    asked += 1;
    const id = asked;
    const told = new Promise<Reply>((resolve) => waiting.set(id, resolve));
    try {
      process.send?.({ tollgateMetrics: 'all?', id } satisfies Question);
      const { text, problem } = await withDeadline(told, DEADLINE_MS, 'the metrics of all workers');
      if (text === undefined) throw new Error(problem);
      return text;
    } finally {
      waiting.delete(id);
    }
  };
}

async function tellOwn(registry: Registry, id: number): Promise<void> {
  let reply: OwnReply;
  try {
    reply = { tollgateMetrics: 'own', id, figures: await registry.getMetricsAsJSON() };
  } catch (error) {
    reply = { tollgateMetrics: 'own', id, problem: String(error) };
  }
  if (process.connected) process.send?.(reply);
}

/** In a worker that ends: what it has counted until now. No-op in other processes. */
export async function tellLastMetrics(): Promise<void> {
  if (!own || !cluster.isWorker || !process.connected) return;
  const last: OwnReply = { tollgateMetrics: 'own', figures: await own.getMetricsAsJSON() };
  await new Promise<void>((resolve) => process.send?.(last, () => resolve()));
}

interface Scrape {
  /** Workers that have not answered. */
  readonly missing: Set<number>;
  readonly done: (problem?: string) => void;
}

interface Totals {
  /** What each running worker told last. */
  readonly figures: Map<number, Figures>;
  readonly scrapes: Map<number, Scrape>;
  /** What workers have counted that have ended. */
  ended: Promise<Figures>;
  asked: number;
}

/** In the primary: replies to its workers. */
export function addUpMetrics(): void {
  const totals: Totals = {
    figures: new Map(),
    scrapes: new Map(),
    ended: Promise.resolve([]),
    asked: 0,
  };
  cluster.on('message', (worker: Worker, message: unknown) => {
    if (isOurs(message, 'all?')) void reply(totals, worker, message.id);
    if (isOurs(message, 'own')) note(totals, worker.id, message);
  });
  cluster.on('exit', ({ id }) => keepCounted(totals, id));
}

async function reply(totals: Totals, worker: Worker, id: number): Promise<void> {
  const told = { tollgateMetrics: 'all', id } as const;
  let answer: Reply;
  try {
    await ask(totals);
    const ended = await totals.ended;
    const all = AggregatorRegistry.aggregate([...totals.figures.values(), ended]);
    answer = { ...told, text: await all.metrics() };
  } catch (error) {
    answer = { ...told, problem: String(error) };
  }
  if (worker.isConnected()) worker.send(answer);
}

/** Resolves when every worker that listens has told its figures or ended. */
async function ask(totals: Totals): Promise<void> {
  const workers = Object.values(cluster.workers ?? {}).filter(
    (one) => one?.isConnected() === true && totals.figures.has(one.id),
  );
  totals.asked += 1;
  const id = totals.asked;
  const told = new Promise<void>((resolve, reject) => {
    const missing = new Set(workers.map((worker) => worker?.id ?? 0));
    const done = (problem?: string): void =>
      problem === undefined ? resolve() : reject(new Error(problem));
    totals.scrapes.set(id, { missing, done });
  });
  for (const worker of workers) {
    worker?.send({ tollgateMetrics: 'own?', id } satisfies OwnQuestion);
  }
  try {
    await withDeadline(told, WORKER_DEADLINE_MS, 'the metrics of a worker');
  } finally {
    totals.scrapes.delete(id);
  }
}

function note(totals: Totals, worker: number, { figures, id, problem }: OwnReply): void {
  if (figures) totals.figures.set(worker, figures);
  const scrape = id === undefined ? undefined : totals.scrapes.get(id);
  if (problem !== undefined) scrape?.done(problem);
  if (scrape) answered(scrape, worker);
}

function answered({ done, missing }: Scrape, worker: number): void {
  missing.delete(worker);
  if (missing.size === 0) done();
}

/** Of a killed worker that is what it told at the last scrape. */
function keepCounted(totals: Totals, worker: number): void {
  const last = totals.figures.get(worker);
  totals.figures.delete(worker);
  for (const scrape of totals.scrapes.values()) answered(scrape, worker);
  if (last) totals.ended = totals.ended.then((ended) => sumOf([ended, last.flatMap(countedIn)]));
}

function sumOf(figures: readonly Figures[]): Promise<Figures> {
  return AggregatorRegistry.aggregate([...figures]).getMetricsAsJSON();
}

/** Values that are no longer true (gauges) and series of the worker itself end with it. */
function countedIn(metric: Figures[number]): Figures {
  if (!COUNTED.has(String(metric.type))) return [];
  const values = metric.values.filter(({ labels }) => labels['worker'] === undefined);
  return [{ ...metric, values }];
}

const COUNTED = new Set(['counter', 'histogram', 'summary']);

function isOurs<Kind extends Message['tollgateMetrics']>(
  message: unknown,
  kind: Kind,
): message is Extract<Message, { tollgateMetrics: Kind }> {
  return (
    typeof message === 'object' &&
    message !== null &&
    Reflect.get(message, 'tollgateMetrics') === kind
  );
}
