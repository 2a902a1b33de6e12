// Removes what the users of children own in the folders that every user may write.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Logger } from '@tollgate/kit';

import type { OwnedPaths, SharedFolders } from './shared-folders';
import { SHELL } from './shell';

export interface ChildFiles {
  /** Removes all that the user owns; resolves with false when something is left. */
  readonly remove: (id: number) => Promise<boolean>;
  /**
   * Removes what an earlier runner's children left, and resolves with the users of whom something is
   * left. Rejects if the folders cannot be searched.
   */
  readonly removeOld: () => Promise<readonly number[]>;
}

export function createChildFiles(
  folders: readonly string[],
  shared: SharedFolders,
  log: Logger,
): ChildFiles {
  const removeOwned = (id: number, { paths }: OwnedPaths): Promise<boolean> =>
    paths === undefined ? removeWithin(id, folders) : removePaths(id, paths);
  return {
    remove: async (id) => {
      try {
        const found = (await shared.owned()).get(id);
        if (found === undefined) return true;
        await removeOwned(id, found);
        return !(await shared.owned()).has(id);
      } catch (error) {
        log.error('the shared folders cannot be searched', { error });
        return false;
      }
    },
    removeOld: async () => {
      let found = await shared.owned();
      // One user's folder may contain another's files, so each round may make room for the next.
      for (let before = Infinity; found.size > 0 && found.size < before;) {
        before = found.size;
        for (const [id, owned] of found) await removeOwned(id, owned);
        found = await shared.owned();
      }
      return [...found.keys()];
    },
  };
}

// The scripts run as the child's user, so they remove only what is the child's, or is in a folder of the
// child. They open its own folders first, which it may have closed to itself.
const OPEN =
  'find "$@" -xdev -user "$id" -type d ! -perm -u+rwx -exec chmod u+rwx {} \\; 2>/dev/null';
const REMOVE_PATHS = `id=$1; shift; ${OPEN}; rm -rf -- "$@"`;
const REMOVE_WITHIN = `id=$1; shift; ${OPEN}; find "$@" -xdev -user "$id" -delete 2>/dev/null`;
const REMOVE_OWN = 'shift; rm -rf -- "$@"';
/** Time limit of a removal. */
const REMOVE_MS = 60_000;

/** Removes these paths with all that is in them. Resolves with false when something is left. */
export function removePaths(id: number | undefined, paths: readonly string[]): Promise<boolean> {
  return runAs(id, id === undefined ? REMOVE_OWN : REMOVE_PATHS, paths);
}

/** Removes what the user owns in these folders. */
function removeWithin(id: number, folders: readonly string[]): Promise<boolean> {
  return runAs(id, REMOVE_WITHIN, folders);
}

/** Whether the script succeeded. */
async function runAs(
  id: number | undefined,
  script: string,
  paths: readonly string[],
): Promise<boolean> {
  try {
    const args = ['-c', script, 'tollgate-runner-clean', String(id ?? ''), ...paths];
    const child = spawn(SHELL, args, {
      cwd: '/',
      env: { PATH: '/usr/bin:/bin' },
      stdio: 'ignore',
      timeout: REMOVE_MS,
      killSignal: 'SIGKILL',
      ...(id === undefined ? {} : { uid: id, gid: id }),
    });
    const [code] = (await once(child, 'exit')) as [number | null];
    return code === 0;
  } catch {
    // The shell could not be started. The caller reports it.
    return false;
  }
}
