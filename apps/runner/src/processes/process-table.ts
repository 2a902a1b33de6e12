// The processes of this machine or container, as /proc shows them. Empty where there is no /proc.
import { readdirSync, readFileSync } from 'node:fs';

export interface ProcessRow {
  readonly pid: number;
  readonly group: number;
  /** Effective user id. */
  readonly uid: number;
  readonly residentKb: number;
  /** A variable of its environment; empty: not set, or the process is another user's. */
  readonly variable: (name: string) => string;
}

export function readProcesses(): ProcessRow[] {
  return processIds().flatMap((pid) => {
    const row = rowOf(pid);
    return row === undefined ? [] : [row];
  });
}

/** Looks at the table, or at a row. Undefined: this process has no file descriptors left to look with. */
export function unlessExhausted<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (NO_DESCRIPTORS.has((error as NodeJS.ErrnoException).code)) return undefined;
    throw error;
  }
}

function environmentOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
  } catch (error) {
    return absent(error, []);
  }
}

function processIds(): number[] {
  try {
    return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
  } catch (error) {
    return absent(error, []);
  }
}

/** Undefined: it has ended; of a zombie only the parent knows. */
function rowOf(pid: number): ProcessRow | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name of the command is in parentheses, and may contain blanks and parentheses.
    const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (state === 'Z' || state === 'X') return undefined;
    let environment: readonly string[] | undefined;
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    return {
      pid,
      group: Number(group),
      uid: Number(/^Uid:\s+\d+\s+(\d+)/m.exec(status)?.[1]),
      residentKb: Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0),
      variable: (name) => {
        environment ??= environmentOf(pid);
        const found = environment.find((variable) => variable.startsWith(`${name}=`));
        return found?.slice(name.length + 1) ?? '';
      },
    };
  } catch (error) {
    return absent(error, undefined);
  }
}

const NO_DESCRIPTORS: ReadonlySet<string | undefined> = new Set(['EMFILE', 'ENFILE']);
const ABSENT: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ESRCH', 'EACCES', 'EPERM']);

function absent<T>(error: unknown, fallback: T): T {
  if (ABSENT.has((error as NodeJS.ErrnoException).code)) return fallback;
  throw error;
}
