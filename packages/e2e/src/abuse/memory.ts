import { readdir, readFile, readlink, stat, writeFile } from 'node:fs/promises';

// What the kernel knows of the edge's process. Where there is no /proc, nothing is known.

const RESET_PEAK = '5';
const PEAK_LINE = /^VmHWM:\s+(\d+) kB$/m;
const NOW_LINE = /^VmRSS:\s+(\d+) kB$/m;

async function lineOf(pid: number, line: RegExp): Promise<number | undefined> {
  const text = await readFile(`/proc/${String(pid)}/status`, 'utf8').catch(() => '');
  const kib = line.exec(text)?.[1];
  return kib === undefined ? undefined : Number(kib) * 1024;
}

export interface MemoryWatch {
  /** The most resident bytes so far; undefined where the kernel does not tell. */
  readonly peak: () => Promise<number | undefined>;
  readonly stop: () => void;
}

/** Looks at the peak again and again: the number is gone with the process. */
export async function watchMemory(
  pid: number,
  everyMs: number,
  onPeak: (bytes: number) => void,
): Promise<MemoryWatch> {
  // Without the right to reset it the peak is the largest resident size that is seen from now on.
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

/** Bytes in the files of this folder that the process has open, with a name or without. */
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
