// Before the first child: users of whom nothing is left.
import type { Logger } from '@tollgate/kit';

import type { UserRange } from '../user-range';
import { createChildFiles } from './child-files';
import { createChildUsers, type ChildUsers } from './child-users';
import type { Killer } from './killer';
import type { LeftoversDeps } from './leftovers';
import type { ProcessRow } from './process-table';
import { createSharedFolders, existingFolders } from './shared-folders';

export interface PreparedUsers extends Pick<LeftoversDeps, 'files' | 'withheld'> {
  readonly users: ChildUsers;
}

export interface PrepareOptions {
  readonly range: UserRange;
  /** Folders that every user may write, beside the one for temporary files. */
  readonly folders: readonly string[];
  readonly temporaryFolder: string;
  readonly killer: Killer;
  readonly log: Logger;
}

/**
 * Ends processes and removes files of an earlier runner's children. Users of whom something stays are
 * withheld. Rejects if the folders cannot be searched.
 */
export async function prepareUsers(options: PrepareOptions): Promise<PreparedUsers> {
  const { range, temporaryFolder, killer, log } = options;
  const folders = existingFolders([...options.folders, temporaryFolder], log);
  const files = createChildFiles(folders, createSharedFolders(folders, range), log);
  log.info('looking for what earlier children left', { folders });
  const isOld = ({ uid }: ProcessRow): boolean => uid >= range.first && uid <= range.last;
  // Those of a runner that was killed a moment ago may still write.
  const running = await killer.kill(isOld);
  if (running.length > 0) {
    const pids = running.map(({ pid }) => pid);
    log.error('processes of earlier children cannot be killed', { pids });
  }
  const owners = await files.removeOld();
  if (owners.length > 0) {
    log.error('files of earlier children cannot be removed', { users: owners });
  }
  const users = createChildUsers(range, temporaryFolder);
  const withheld = users.withhold([...new Set([...owners, ...running.map(({ uid }) => uid)])]);
  return { users, files, withheld };
}
