// What a child leaves behind when it ends: processes that have left its group, and files. Both are gone
// before another child gets the same user.
import type { Logger } from '@tollgate/kit';

import { removePaths, type ChildFiles } from './child-files';
import type { ChildUser, ChildUsers } from './child-users';
import type { Killer } from './killer';

export interface Leftovers {
  /**
   * Kills what is left of an ended child, removes its files and gives its user back. If something stays,
   * the user is not given back; it is tried again when another child ends. Never rejects.
   */
  readonly remove: (user: ChildUser, folder: string) => Promise<void>;
  /** Tries again with users of whom something stayed. */
  readonly retry: () => void;
}

export interface LeftoversDeps {
  readonly users: Pick<ChildUsers, 'giveBack'>;
  /** Of whom an earlier runner has left something. */
  readonly withheld: readonly ChildUser[];
  readonly killer: Killer;
  /** Undefined: children have no users of their own, so nobody can tell which files are theirs. */
  readonly files: Pick<ChildFiles, 'remove'> | undefined;
  readonly log: Logger;
}

export function createLeftovers(deps: LeftoversDeps): Leftovers {
  const { users, killer, files, log } = deps;
  /** Of users that could not be given back: their private folders. */
  const stuck = new Map<ChildUser, string | undefined>(
    deps.withheld.map((user) => [user, undefined]),
  );

  const attempt = async (user: ChildUser, folder: string | undefined): Promise<void> => {
    const { id } = user;
    const killed = (await killer.kill(user.owns)).length === 0;
    if (!killed) log.error('processes of a child cannot be killed', { user: id });
    // Removed at once; then a search rarely finds anything.
    let emptied = folder === undefined || (await removePaths(id, [folder]));
    if (id !== undefined && files !== undefined) emptied = await files.remove(id);
    if (!emptied) log.error('files of a child cannot be removed', { user: id, folder });
    if (killed && emptied) users.giveBack(user);
    else stuck.set(user, folder);
  };

  const retry = (): void => {
    const again = [...stuck];
    stuck.clear();
    for (const one of again) void attempt(...one);
  };

  return {
    retry,
    remove: async (user, folder) => {
      retry();
      await attempt(user, folder);
    },
  };
}
