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
  /** Whether files of an earlier runner's child may be left. */
  readonly mayHaveFiles: boolean;
  /** Whether a process descends from this child. */
  readonly owns: (row: ProcessRow) => boolean;
}

export interface ChildUsers {
  /** Undefined: every user is taken. */
  readonly take: () => ChildUser | undefined;
  /** Call it when nothing of the child is left. */
  readonly giveBack: (user: ChildUser) => void;
  /** What the watchdog finds descendants by; undefined: by the mark. */
  readonly range: UserRange | undefined;
  /** Unique to this runner. */
  readonly mark: string;
}

export const MARK_VARIABLE = 'TOLLGATE_RUNNER_CHILD';

/** `range`: one user for each child; undefined: the runner's own for all. */
export function createChildUsers(range: UserRange | undefined): ChildUsers {
  const mark = `tollgate-runner-${randomUUID()}`;
  if (range === undefined) return sameUser(mark);
  const used = new Set<number>();
  // The one that is free for the longest time is taken next.
  const free = Array.from({ length: range.last - range.first + 1 }, (_, n) => range.first + n);
  return {
    range,
    mark,
    take: () => {
      const id = free.shift();
      if (id === undefined) return undefined;
      const mayHaveFiles = !used.has(id);
      used.add(id);
      return { id, env: {}, mayHaveFiles, owns: ({ uid }) => uid === id };
    },
    giveBack: ({ id }) => {
      if (id !== undefined) free.push(id);
    },
  };
}

function sameUser(mark: string): ChildUsers {
  let children = 0;
  return {
    range: undefined,
    mark,
    take: () => {
      children += 1;
      const own = `${mark}/${children}`;
      return {
        id: undefined,
        env: { [MARK_VARIABLE]: own },
        mayHaveFiles: false,
        owns: ({ variable }) => variable(MARK_VARIABLE) === own,
      };
    },
    giveBack: () => undefined,
  };
}
