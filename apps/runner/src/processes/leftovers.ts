// What a child leaves behind when it ends: processes that have left its group, such as daemons, and
// files. Both are gone before another child gets the same user.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Logger } from '@tollgate/kit';

import type { ChildUser } from './child-users';
import { readProcesses } from './process-table';
import { SHELL } from './shell';

export interface Leftovers {
  /** Resolves with false when something is left. */
  readonly remove: (user: ChildUser, folder: string) => Promise<boolean>;
}

interface Ended {
  readonly user: ChildUser;
  readonly resolve: (gone: boolean) => void;
  rounds: number;
}

/** A program that forks while it is killed needs several rounds. */
const ROUNDS = 100;
/** Processes that end with their parent need a moment, too. */
const BETWEEN_ROUNDS_MS = 50;

export function createLeftovers(log: Logger): Leftovers {
  const ended = new Set<Ended>();
  let timer: NodeJS.Timeout | undefined;

  /** One look at the process table serves all children that have ended. */
  const round = (): void => {
    timer = undefined;
    const rows = readProcesses();
    for (const one of ended) {
      const own = rows.filter(one.user.owns);
      const pids = own.flatMap(({ pid }) => (kill(pid) ? [pid] : []));
      if (pids.length > 0) log.warn('killed processes that had left their group', { pids });
      one.rounds += 1;
      if (own.length > 0 && one.rounds < ROUNDS) continue;
      ended.delete(one);
      one.resolve(own.length === 0);
    }
    if (ended.size > 0) timer = setTimeout(round, BETWEEN_ROUNDS_MS);
  };
  const killed = (user: ChildUser): Promise<boolean> =>
    new Promise((resolve) => {
      ended.add({ user, resolve, rounds: 0 });
      timer ??= setTimeout(round, BETWEEN_ROUNDS_MS);
    });

  return {
    remove: async (user, folder) => {
      const gone = await killed(user);
      if (!gone) log.error('processes of a child cannot be killed', { user: user.id });
      const emptied = await removeFiles(user, folder);
      if (!emptied) log.error('files of a child cannot be removed', { user: user.id, folder });
      return gone && emptied;
    },
  };
}

function kill(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

// Runs as the child's user, so it can remove nothing but what is the child's. `$2` is set if that user
// has no files but the child's: then those in the shared folders go too.
const SCRIPT = `
rm -rf -- "$1"
if [ -n "$2" ]; then
  for shared in /tmp /var/tmp /dev/shm; do
    [ -d "$shared" ] && find "$shared" -xdev -user "$2" -delete 2>/dev/null
  done
fi
[ ! -e "$1" ]
`;

async function removeFiles({ id }: ChildUser, folder: string): Promise<boolean> {
  const child = spawn(SHELL, ['-c', SCRIPT, 'tollgate-runner-clean', folder, String(id ?? '')], {
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    stdio: 'ignore',
    ...(id === undefined ? {} : { uid: id, gid: id }),
  });
  try {
    const [code] = (await once(child, 'exit')) as [number | null];
    return code === 0;
  } catch {
    // The shell could not be started. The caller reports it.
    return false;
  }
}
