import { constants } from 'node:os';

/** Steps to run once the work is over, in reverse order. */
export type Undo = (() => Promise<unknown>)[];

type Host = Pick<NodeJS.Process, 'exit' | 'off' | 'once'>;

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * Runs `work`, then its undo steps: also when it fails, and on a stop signal, because the started
 * servers have their own process groups. A failing step does not prevent the others; the first
 * failure is thrown at the end.
 */
export async function undoing<T>(
  work: (undo: Undo) => Promise<T>,
  host: Host = process,
): Promise<T> {
  const undo: Undo = [];
  const told = (signal: NodeJS.Signals): void => {
    void undoAll(undo)
      .catch((error: unknown) => console.error(error))
      .then(() => host.exit(128 + constants.signals[signal]));
  };
  for (const signal of SIGNALS) host.once(signal, told);
  try {
    return await work(undo);
  } finally {
    for (const signal of SIGNALS) host.off(signal, told);
    await undoAll(undo);
  }
}

async function undoAll(undo: Undo): Promise<void> {
  const failures: unknown[] = [];
  for (let step = undo.pop(); step !== undefined; step = undo.pop()) {
    try {
      await step();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}
