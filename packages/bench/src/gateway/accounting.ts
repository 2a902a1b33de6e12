import { readdirSync, readFileSync } from 'node:fs';

/**
 * CPU time and memory of a process from the kernel's accounting (proc(5)). CPU time covers every
 * thread. For servers with several processes (PostgreSQL) all descendants count, also those that
 * have ended (Redis forks to rewrite its append-only file).
 */

/** CPU time of each thread that runs, µs, by its name; threads of one name are added up. */
export function threadsOf(pid: number): Map<string, number> {
  const threads = new Map<string, number>();
  const folder = `/proc/${String(pid)}/task`;
  for (const id of readdirSync(folder)) {
    const name = readGone(`${folder}/${id}/comm`).trim();
    // The first number is the time on the processor in nanoseconds (the kernel's sched-stats).
    const us = Number(readGone(`${folder}/${id}/schedstat`).split(' ')[0] ?? 0) / 1_000;
    threads.set(name, (threads.get(name) ?? 0) + us);
  }
  return threads;
}

/** The kernel's unit is a hundredth of a second on every Linux that Node runs on (USER_HZ). */
const TICK_MS = 10;

export interface Used {
  readonly cpuMs: number;
  /** Resident memory now and at its peak, bytes. */
  readonly rss: number;
  readonly peakRss: number;
}

export function usedBy(pid: number): Used {
  const stats = processes();
  const pids = family(pid, stats);
  let cpuMs = 0;
  let rss = 0;
  let peakRss = 0;
  for (const member of pids) {
    cpuMs += stats.get(member)?.cpuMs ?? 0;
    const memory = memoryOf(member);
    rss += memory.rss;
    peakRss += memory.peakRss;
  }
  return { cpuMs, rss, peakRss };
}

/**
 * Memory of a process and its descendants, bytes, in which what several share is divided among them
 * (PSS), so that the sum over processes counts each page once. Undefined: another user's process.
 */
export function sharedMemoryOf(pid: number): number | undefined {
  const kib = (member: number): number =>
    Number(/^Pss:\s+(\d+) kB$/m.exec(readGone(`/proc/${String(member)}/smaps_rollup`))?.[1] ?? 0);
  try {
    return family(pid, processes()).reduce((sum, member) => sum + kib(member) * 1_024, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EACCES') return undefined;
    throw error;
  }
}

/** The process and its descendants. */
function family(pid: number, stats: ReadonlyMap<number, Stat>): number[] {
  const pids = [pid];
  // A descendant always follows its parent in this list.
  for (const member of pids) {
    for (const [child, { parent }] of stats) if (parent === member) pids.push(child);
  }
  return pids;
}

interface Stat {
  readonly parent: number;
  readonly cpuMs: number;
}

function processes(): Map<number, Stat> {
  const stats = new Map<number, Stat>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = readGone(`/proc/${name}/stat`);
    // The program name is in brackets and may contain spaces; fields are counted after it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const parent = Number(fields[1]);
    if (Number.isNaN(parent)) continue;
    // User and system time of the process and of its ended children.
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    stats.set(Number(name), { parent, cpuMs: ticks * TICK_MS });
  }
  return stats;
}

function memoryOf(pid: number): { rss: number; peakRss: number } {
  const status = readGone(`/proc/${String(pid)}/status`);
  const bytes = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) * 1_024;
  return { rss: bytes('VmRSS'), peakRss: bytes('VmHWM') };
}

/** Empty for a process that has ended meanwhile. */
function readGone(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return '';
    throw error;
  }
}

/** What all of these processes and their children take, bytes; undefined: it is not known of each. */
export function memoryOfAll(pids: Readonly<Record<string, number>>): number | undefined {
  const all = Object.values(pids).map(sharedMemoryOf);
  const known = all.filter((one) => one !== undefined);
  if (known.length === 0 || known.length < all.length) return undefined;
  return known.reduce((total, one) => total + one, 0);
}
