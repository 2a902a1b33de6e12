// Measures what children use with all of their descendants, also those that have left the child's group:
// how many processes they are, and their resident memory together. A limit of the kernel for memory is
// one of each process, so only this measurement bounds them together, a moment late.
import type { ChildUser } from './child-users';
import { readProcesses, unlessExhausted, type ProcessRow } from './process-table';

export interface UsageLimits {
  readonly maxProcesses: number;
  /** 0: none. */
  readonly memoryMb: number;
}

interface Watched {
  readonly user: ChildUser;
  readonly limits: UsageLimits;
  readonly exceeded: (reason: string) => void;
}

export interface UsageWatch {
  /** `group`: of the child. */
  readonly watch: (group: number, watched: Watched) => void;
  readonly forget: (group: number) => void;
  readonly measure: () => void;
  readonly stop: () => void;
}

const INTERVAL_MS = 2_000;

export function createUsageWatch(read: () => readonly ProcessRow[] = readProcesses): UsageWatch {
  const children = new Map<number, Watched>();
  const measure = (): void => {
    if (children.size === 0) return;
    const rows = read();
    for (const [group, { user, limits, exceeded }] of children) {
      const own = rows.filter((row) => row.group === group || user.owns(row));
      const reason = excessOf(own, limits);
      if (reason !== undefined) exceeded(reason);
    }
  };
  const timer = setInterval(() => unlessExhausted(measure), INTERVAL_MS);
  return {
    watch: (group, watched) => void children.set(group, watched),
    forget: (group) => void children.delete(group),
    measure,
    stop: () => clearInterval(timer),
  };
}

export function excessOf(
  rows: readonly ProcessRow[],
  { maxProcesses, memoryMb }: UsageLimits,
): string | undefined {
  if (rows.length > maxProcesses) {
    return `it has ${rows.length} processes, more than its maxProcesses of ${maxProcesses}`;
  }
  const usedMb = rows.reduce((sum, { residentKb }) => sum + residentKb, 0) / 1_024;
  if (memoryMb > 0 && usedMb > memoryMb) {
    return `it uses ${Math.round(usedMb)} MB, more than its memoryMb of ${memoryMb}`;
  }
  return undefined;
}
