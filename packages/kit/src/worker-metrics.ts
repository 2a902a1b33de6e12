import cluster, { type Worker } from 'node:cluster';
import { AggregatorRegistry, type Registry } from 'prom-client';

import { withDeadline } from './deadline';

// A scrape reaches one worker but means all: the worker asks the primary, which collects and sums
// the figures of every worker.

const DEADLINE_MS = 10_000;

interface Question {
  tollgateMetrics: 'asked';
  id: number;
}
interface Reply {
  tollgateMetrics: 'told';
  id: number;
  text?: string;
  problem?: string;
}

/** The metrics of all workers; this registry has only this worker's. */
export function metricsOfAll(registry: Registry): () => Promise<string> {
  const waiting = new Map<number, (reply: Reply) => void>();
  let asked = 0;
  // Its constructor makes this process reply when the primary asks.
  void new AggregatorRegistry();
  AggregatorRegistry.setRegistries([registry]);
  process.on('message', (message: unknown) => {
    if (isOurs<Reply>(message, 'told')) waiting.get(message.id)?.(message);
  });
  return async () => {
    asked += 1;
    const id = asked;
    const told = new Promise<Reply>((resolve) => waiting.set(id, resolve));
    try {
      process.send?.({ tollgateMetrics: 'asked', id } satisfies Question);
      const { text, problem } = await withDeadline(told, DEADLINE_MS, 'the metrics of all workers');
      if (text === undefined) throw new Error(problem);
      return text;
    } finally {
      waiting.delete(id);
    }
  };
}

/** In the primary: replies to its workers. */
export function addUpMetrics(): void {
  const all = new AggregatorRegistry();
  const answer = async (worker: Worker, id: number): Promise<void> => {
    const told = { tollgateMetrics: 'told', id } as const;
    let reply: Reply;
    try {
      reply = { ...told, text: await all.clusterMetrics() };
    } catch (error) {
      reply = { ...told, problem: String(error) };
    }
    if (worker.isConnected()) worker.send(reply);
  };
  cluster.on('message', (worker: Worker, message: unknown) => {
    if (isOurs<Question>(message, 'asked')) void answer(worker, message.id);
  });
}

function isOurs<M extends Question | Reply>(
  message: unknown,
  kind: M['tollgateMetrics'],
): message is M {
  return (
    typeof message === 'object' &&
    message !== null &&
    Reflect.get(message, 'tollgateMetrics') === kind
  );
}
