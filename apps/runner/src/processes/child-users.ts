// Who a child process runs as, and by what all of its descendants are known. With users of their own,
// children can neither read the runner's environment nor one another's files and secrets, the kernel
// limits their number, and a descendant is known by its user. Without, a mark in the environment is all
// there is, which a program may remove.
import { randomUUID } from 'node:crypto';

import type { UserRange } from '../user-range';
import type { ProcessRow } from './process-table';

export interface ChildUser {
  /** Undefined: the runner's own user. */
  readonly id: number | undefined;
  /** Added to the child's environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Whether a process descends from this child. */
  readonly owns: (row: ProcessRow) => boolean;
}

export interface ChildUsers {
  /** Undefined: every user is taken. */
  readonly take: () => ChildUser | undefined;
  /** These are not taken until they are given back. */
  readonly withhold: (ids: readonly number[]) => readonly ChildUser[];
  /** Call it when nothing of the child is left. */
  readonly giveBack: (user: ChildUser) => void;
  /** What the watchdog finds descendants by; undefined: by the mark. */
  readonly range: UserRange | undefined;
  /** Unique to this runner. */
  readonly mark: string;
  /** Each child has a folder of its own in it. */
  readonly temporaryFolder: string;
}

export const MARK_VARIABLE = 'TOLLGATE_RUNNER_CHILD';

/** `range`: one user for each child; undefined: the runner's own for all. */
export function createChildUsers(
  range: UserRange | undefined,
  temporaryFolder: string,
): ChildUsers {
  const mark = `tollgate-runner-${randomUUID()}`;
  if (range === undefined) return sameUser(mark, temporaryFolder);
  // The one that is free for the longest time is taken next.
  let free = Array.from({ length: range.last - range.first + 1 }, (_, n) => range.first + n);
  const userOf = (id: number): ChildUser => ({ id, env: {}, owns: ({ uid }) => uid === id });
  return {
    range,
    mark,
    temporaryFolder,
    take: () => {
      const id = free.shift();
      return id === undefined ? undefined : userOf(id);
    },
    withhold: (ids) => {
      free = free.filter((id) => !ids.includes(id));
      return ids.map(userOf);
    },
    giveBack: ({ id }) => {
      if (id !== undefined) free.push(id);
    },
  };
}

function sameUser(mark: string, temporaryFolder: string): ChildUsers {
  let children = 0;
  return {
    range: undefined,
    mark,
    temporaryFolder,
    take: () => {
      children += 1;
      const own = `${mark}/${children}`;
      return {
        id: undefined,
        env: { [MARK_VARIABLE]: own },
        owns: ({ variable }) => variable(MARK_VARIABLE) === own,
      };
    },
    withhold: () => [],
    giveBack: () => undefined,
  };
}
