// Finds what children leave in the folders that every user may write, such as /tmp. Such a folder may
// contain anything, so a look at all of it may take long: one serves all children that ended before it.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, realpathSync } from 'node:fs';
import type { Logger } from '@tollgate/kit';

import type { UserRange } from '../user-range';

/** What each user owns; without users who own nothing. */
export type Owned = ReadonlyMap<number, OwnedPaths>;

export interface OwnedPaths {
  /** What contains everything that the user owns; undefined: too much, or a name that is not text. */
  readonly paths: readonly string[] | undefined;
}

export interface SharedFolders {
  /**
   * What users of the range own, as a search saw it that began after this call. Rejects if the folders
   * cannot be searched.
   */
  readonly owned: () => Promise<Owned>;
}

const ENV = { PATH: '/usr/bin:/bin' };
/** A path has 4,096 bytes at most, and a command's arguments together 2 MiB. */
const PATHS_OF_A_USER = 100;
/** Time limit of one search. */
const SEARCH_MS = 300_000;

/** Without links, and without those that do not exist. */
export function existingFolders(folders: readonly string[], log: Logger): readonly string[] {
  const existing = folders.filter((folder) => existsSync(folder));
  const missing = folders.filter((folder) => !existing.includes(folder));
  if (missing.length > 0) log.warn('folders of RUNNER_SHARED_FOLDERS do not exist', { missing });
  return [...new Set(existing.map((folder) => realpathSync(folder)))];
}

/** Throws if this machine's `find` lacks what the search needs. */
export function createSharedFolders(folders: readonly string[], range: UserRange): SharedFolders {
  const probe = spawnSync('find', ['/', '-maxdepth', '0', '-uid', '+0', '-printf', ''], {
    env: ENV,
  });
  if (probe.status !== 0) {
    throw new Error('RUNNER_CHILD_UIDS needs find with -uid +n and -printf (GNU findutils)');
  }
  let running: Promise<Owned> | undefined;
  let next: Promise<Owned> | undefined;
  const start = (): Promise<Owned> => {
    next = undefined;
    const search = searchAll(folders, range).finally(() => {
      if (running === search) running = undefined;
    });
    running = search;
    return search;
  };
  return {
    owned: () => {
      if (running === undefined) return start();
      next ??= running.then(start, start);
      return next;
    },
  };
}

async function searchAll(folders: readonly string[], range: UserRange): Promise<Owned> {
  const { first, last } = range;
  const users = ['-uid', `+${first - 1}`, '-uid', `-${last + 1}`];
  const find = spawn(
    'find',
    [...folders, '-xdev', '-mindepth', '1', ...users, '-printf', '%U %p\\0'],
    {
      env: ENV,
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: SEARCH_MS,
      killSignal: 'SIGKILL',
    },
  );
  const closed = once(find, 'close') as Promise<[number | null]>;
  const owned = new Map<number, { paths: string[] | undefined }>();
  let rest = '';
  // Without file descriptors there is no pipe, and `closed` rejects.
  (find.stdout as typeof find.stdout | undefined)
    ?.setEncoding('utf8')
    .on('data', (text: string) => {
      const entries = (rest + text).split('\0');
      rest = entries.pop() ?? '';
      for (const entry of entries) addEntry(owned, entry);
    });
  const [code] = await closed;
  // 1: what cannot be read, or went away during the search.
  if (code !== 0 && code !== 1) throw new Error(`find ended with ${String(code)}`);
  return owned;
}

/** `entry`: user id and path; find tells of a folder before it tells of what is in it. */
function addEntry(owned: Map<number, { paths: string[] | undefined }>, entry: string): void {
  const blank = entry.indexOf(' ');
  const id = Number(entry.slice(0, blank));
  const path = entry.slice(blank + 1);
  const known = owned.get(id) ?? { paths: [] };
  owned.set(id, known);
  const { paths } = known;
  if (paths === undefined) return;
  const above = paths.at(-1);
  if (above !== undefined && path.startsWith(`${above}/`)) return;
  if (paths.length === PATHS_OF_A_USER || path.includes('\u{FFFD}')) known.paths = undefined;
  else paths.push(path);
}
