// Removes what the users of children own in the folders that every user may write.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Logger } from '@tollgate/kit';

import type { SharedFolders } from './shared-folders';
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
  return {
    remove: async (id) => {
      try {
        const found = (await shared.owned()).get(id);
        if (found === undefined) return true;
        await removePaths(id, found.paths ?? folders);
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
        for (const [id, { paths }] of found) await removePaths(id, paths ?? folders);
        found = await shared.owned();
      }
      return [...found.keys()];
    },
  };
}

// Runs as the child's user, so it can remove nothing but what is the child's. Its folders may be closed
// to itself.
const SCRIPT = `
id=$1
shift
find "$@" -xdev -user "$id" -type d ! -perm -u+rwx -exec chmod u+rwx {} \\; 2>/dev/null
find "$@" -xdev -user "$id" -delete 2>/dev/null
`;
const SCRIPT_OF_ONE_USER = 'shift; rm -rf -- "$@"';

/** Resolves with whether nothing is left. `id`: undefined removes as the runner's own user. */
export async function removePaths(
  id: number | undefined,
  paths: readonly string[],
): Promise<boolean> {
  const script = id === undefined ? SCRIPT_OF_ONE_USER : SCRIPT;
  const child = spawn(SHELL, ['-c', script, 'tollgate-runner-clean', String(id ?? ''), ...paths], {
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
