// Kills what the end of a child's group does not reach: processes that have left it, such as daemons, and
// those of an earlier runner.
import type { Logger } from '@tollgate/kit';

import { readProcesses, unlessExhausted, type ProcessRow } from './process-table';

export interface Killer {
  /** Resolves with those that are left. */
  readonly kill: (owns: (row: ProcessRow) => boolean) => Promise<readonly ProcessRow[]>;
}

interface Wanted {
  readonly owns: (row: ProcessRow) => boolean;
  readonly resolve: (left: readonly ProcessRow[]) => void;
  rounds: number;
}

/** A program that forks while it is killed needs several rounds. */
const ROUNDS = 100;
/** Processes that end with their parent need a moment, too. */
const BETWEEN_ROUNDS_MS = 50;

export function createKiller(
  log: Logger,
  read: () => readonly ProcessRow[] = readProcesses,
): Killer {
  const wanted = new Set<Wanted>();
  let timer: NodeJS.Timeout | undefined;

  /** One look at the process table serves all children that have ended. */
  const look = (): void => {
    const rows = read();
    for (const one of wanted) {
      const own = rows.filter(one.owns);
      const pids = own.flatMap(({ pid }) => (killed(pid) ? [pid] : []));
      if (pids.length > 0) log.warn('killed processes that children left running', { pids });
      one.rounds += 1;
      if (own.length > 0 && one.rounds < ROUNDS) continue;
      wanted.delete(one);
      one.resolve(own);
    }
  };
  const round = (): void => {
    timer = undefined;
    unlessExhausted(look);
    if (wanted.size > 0) timer = setTimeout(round, BETWEEN_ROUNDS_MS);
  };
  return {
    kill: (owns) =>
      new Promise((resolve) => {
        wanted.add({ owns, resolve, rounds: 0 });
        timer ??= setTimeout(round, BETWEEN_ROUNDS_MS);
      }),
  };
}

function killed(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}
