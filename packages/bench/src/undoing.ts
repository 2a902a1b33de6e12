import { constants } from 'node:os';

/** What is to be done once the work is over: the last first. */
export type Undo = (() => Promise<unknown>)[];

type Host = Pick<NodeJS.Process, 'exit' | 'off' | 'once'>;

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * Runs `work` and undoes what it says: also when it fails, and when the process is told to end, since the
 * servers that it has started are in process groups of their own and would go on. A step that fails keeps
 * none of the others from being taken; the first failure is thrown then.
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
