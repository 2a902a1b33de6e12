import { mkdir, open, readdir, readFile, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { uuidv7 } from '@tollgate/kit';
import { z } from 'zod';

import type { Settle } from './settles';

export interface Spool {
  /** Creates the folder and checks that it is writable. */
  prepare: () => Promise<void>;
  /** Writes unsent settles to disk for the next start. */
  spill: (settles: readonly Settle[]) => Promise<void>;
  /** Sets aside a settle that policy refused for good, with the reason, for a person to review. */
  setAside: (settle: Settle, reason: string) => Promise<void>;
  /**
   * Submits the settles left by other processes, each file once. A file is deleted when everything
   * in it is booked. Lines that are no settles are set aside before.
   */
  replay(submit: (settle: Settle, onBooked: () => void) => void): Promise<number>;
}

const PREFIX = 'settles-';
const REJECTED = 'rejected-settles.jsonl';

const lineSchema = z.object({
  shard: z.number().int().min(0),
  message: z
    .record(z.string(), z.unknown())
    .and(z.object({ requestId: z.string(), holdToken: z.string() })),
});

// Settles on disk, one JSON object per line. Replaying a file twice, or from two edges that share a
// folder, is idempotent: policy recognises a settle by its request id.
export function createSpool(directory: string, onProblem: (text: string) => void): Spool {
  const taken = new Set<string>();

  const prepare = async (): Promise<void> => {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const probe = join(directory, `.probe-${uuidv7()}`);
    await write(probe, '');
    await unlink(probe);
  };

  const spill = async (settles: readonly Settle[]): Promise<void> => {
    if (settles.length === 0) return;
    const text = settles.map((settle) => encode(settle)).join('');
    const name = `${PREFIX}${uuidv7()}.jsonl`;
    const unfinished = join(directory, `.${name}`);
    await write(unfinished, text);
    // The rename is atomic, so another process finds a complete file.
    await rename(unfinished, join(directory, name));
  };

  const setAside = (settle: Settle, reason: string): Promise<void> =>
    write(join(directory, REJECTED), encode(settle, reason));

  const replay: Spool['replay'] = async (submit) => {
    const left = (await readdir(directory)).filter((name) => name.startsWith(PREFIX));
    const names = left.filter((name) => !taken.has(name)).sort();
    let replayed = 0;
    for (const name of names) {
      const path = join(directory, name);
      const text = await readUnlessGone(path);
      taken.add(name);
      if (text === undefined) continue;
      const { settles, unreadable } = decodeAll(text);
      await keepUnreadable(unreadable, name);
      let unbooked = settles.length;
      const onBooked = (): void => {
        unbooked -= 1;
        if (unbooked === 0) remove(path);
      };
      if (unbooked === 0) remove(path);
      for (const settle of settles) submit(settle, onBooked);
      replayed += settles.length;
    }
    return replayed;
  };

  // A line that was cut while it was written is all that is left of a settle.
  const keepUnreadable = async (lines: readonly string[], name: string): Promise<void> => {
    if (lines.length === 0) return;
    const reason = `a line of ${name} that is not a settle`;
    const kept = lines.map((line) => `${JSON.stringify({ reason, line })}\n`).join('');
    await write(join(directory, REJECTED), kept);
    onProblem(`${name} has lines that are not settles (${lines.length}), kept in ${REJECTED}`);
  };

  const remove = (path: string): void => {
    unlink(path).catch((error: unknown) => {
      // Another edge that shares the folder may have taken it first.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
        onProblem(`${path} could not be removed: ${String(error)}`);
      }
    });
  };

  return { prepare, spill, setAside, replay };
}

function decodeAll(text: string): { settles: Settle[]; unreadable: string[] } {
  const settles: Settle[] = [];
  const unreadable: string[] = [];
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const settle = decode(line);
    if (settle) settles.push(settle);
    else unreadable.push(line);
  }
  return { settles, unreadable };
}

/** Undefined if another edge that shares the folder took it first. */
async function readUnlessGone(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

// Flushes to disk before it returns, because the process is about to end.
async function write(path: string, text: string): Promise<void> {
  const file = await open(path, 'a', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

function encode(settle: Settle, reason?: string): string {
  const { holdToken, ...message } = settle.message;
  const token = Buffer.from(holdToken ?? '').toString('base64');
  const line = { shard: settle.shard, message: { ...message, holdToken: token }, reason };
  return `${JSON.stringify(line)}\n`;
}

function decode(line: string): Settle | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  const parsed = lineSchema.safeParse(value);
  if (!parsed.success) return undefined;
  const { message, shard } = parsed.data;
  return { shard, message: { ...message, holdToken: Buffer.from(message.holdToken, 'base64') } };
}
