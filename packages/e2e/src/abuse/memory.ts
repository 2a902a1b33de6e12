import { readdir, readFile, readlink, stat, writeFile } from 'node:fs/promises';

// The kernel's numbers for the edge's process. Without /proc they are unknown.

const RESET_PEAK = '5';
const PEAK_LINE = /^VmHWM:\s+(\d+) kB$/m;
const NOW_LINE = /^VmRSS:\s+(\d+) kB$/m;

async function lineOf(pid: number, line: RegExp): Promise<number | undefined> {
  const text = await readFile(`/proc/${String(pid)}/status`, 'utf8').catch(() => '');
  const kib = line.exec(text)?.[1];
  return kib === undefined ? undefined : Number(kib) * 1024;
}

export interface MemoryWatch {
  /** The peak of resident bytes so far; undefined where the kernel does not report it. */
  readonly peak: () => Promise<number | undefined>;
  readonly stop: () => void;
}

/** Polls the peak, because the number is lost with the process. */
export async function watchMemory(
  pid: number,
  everyMs: number,
  onPeak: (bytes: number) => void,
): Promise<MemoryWatch> {
  // Without permission to reset it, the peak is the largest resident size observed from now on.
  const reset = await writeFile(`/proc/${String(pid)}/clear_refs`, RESET_PEAK).then(
    () => true,
    () => false,
  );
  let most: number | undefined;
  const look = async (): Promise<void> => {
    const bytes = await lineOf(pid, reset ? PEAK_LINE : NOW_LINE);
    if (bytes === undefined) return;
    most = Math.max(most ?? 0, bytes);
    onPeak(most);
  };
  const timer = setInterval(() => void look(), everyMs);
  return {
    peak: async () => {
      await look();
      return most;
    },
    stop: () => clearInterval(timer),
  };
}

/** The bytes in the process's open files in this folder, deleted ones included. */
export async function bytesInFolder(pid: number, folder: string): Promise<number> {
  const fds = `/proc/${String(pid)}/fd`;
  let sum = 0;
  for (const fd of await readdir(fds).catch(() => [])) {
    const target = await readlink(`${fds}/${fd}`).catch(() => '');
    if (!target.startsWith(`${folder}/`)) continue;
    sum += await stat(`${fds}/${fd}`).then(
      ({ size }) => size,
      () => 0,
    );
  }
  return sum;
}
