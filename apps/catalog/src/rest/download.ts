import { setTimeout as sleep } from 'node:timers/promises';
import type { Response } from 'express';
import type { rest } from '@tollgate/contracts';
import { restError } from '@tollgate/contracts';

/** A file as the answer: made piece by piece, as fast as the caller takes it. */
export type Download = {
  readonly filename: string;
  readonly chunks: AsyncIterable<string | Buffer>;
};

/** Downloads that run at the same time in one process; more are refused with 429. */
const MAX_DOWNLOADS = 4;
/** Of one organisation, or of one platform user, so that nobody keeps the others from theirs. */
const MAX_DOWNLOADS_OF_OWNER = 2;
const BUSY_RETRY_SECONDS = 10;
/** A caller who takes nothing for as long as this is cut off. */
export const STALLED_MS = 30_000;

/** How many each owner has running; nobody is in it with none. */
const running = new Map<string, number>();

/**
 * A file is made in half of the time at most: what is asked for meanwhile, here and of the database, is
 * served in the other half. Milliseconds of work after which there is a pause, and its longest.
 */
const WORK_MS = 5;
const MAX_PAUSE_MS = 50;

/** Calls back after a time, unless it is called off. */
export type Alarm = (afterMs: number, ring: () => void) => () => void;

const alarmClock: Alarm = (afterMs, ring) => {
  const timer = setTimeout(ring, afterMs);
  return () => clearTimeout(timer);
};

/**
 * Hands a file to the schema's type, which is the text of it. What is thrown before the first piece is
 * an error like any other; after that the connection is cut, so that half a file is not taken for one.
 */
export function download(file: Download): string {
  return file as unknown as string;
}

export function isDownload(body: unknown): body is Download {
  return typeof body === 'object' && body !== null && 'chunks' in body && 'filename' in body;
}

/**
 * Writes the pieces with the caller's own speed. A caller who hangs up ends the reading too: nothing is
 * asked of the database once the connection is closed.
 */
export async function sendDownload(
  response: Response,
  status: number,
  produces: rest.Endpoint['produces'],
  { filename, chunks }: Download,
  owner: string,
  alarm: Alarm = alarmClock,
  pause: (ms: number) => Promise<unknown> = sleep,
): Promise<void> {
  const own = running.get(owner) ?? 0;
  const all = [...running.values()].reduce((sum, count) => sum + count, 0);
  if (all >= MAX_DOWNLOADS || own >= MAX_DOWNLOADS_OF_OWNER) {
    response.setHeader('retry-after', String(BUSY_RETRY_SECONDS));
    throw restError('too_many_requests');
  }
  running.set(owner, own + 1);
  const pieces = chunks[Symbol.asyncIterator]();
  try {
    let workMs = 0;
    let askedMs = performance.now();
    let piece = await pieces.next();
    response.status(status).setHeader('content-type', `${produces}; charset=utf-8`);
    if (produces === 'application/pdf') response.setHeader('content-type', produces);
    response.setHeader('content-disposition', `attachment; filename="${filename}"`);
    for (; piece.done !== true && !response.destroyed; piece = await pieces.next()) {
      workMs += performance.now() - askedMs;
      if (!response.write(piece.value)) await writable(response, alarm);
      if (workMs >= WORK_MS) {
        await pause(Math.min(workMs, MAX_PAUSE_MS));
        workMs = 0;
      }
      askedMs = performance.now();
    }
    if (!response.destroyed) response.end();
  } catch (error) {
    if (response.headersSent) response.destroy();
    throw error;
  } finally {
    const left = (running.get(owner) ?? 1) - 1;
    if (left === 0) running.delete(owner);
    else running.set(owner, left);
    await pieces.return?.();
  }
}

/** When what was written has been taken, or nobody takes it any more: then the connection is cut. */
function writable(response: Response, alarm: Alarm): Promise<void> {
  return new Promise((resolve) => {
    const callOff = alarm(STALLED_MS, () => response.destroy());
    const done = (): void => {
      callOff();
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.once('drain', done).once('close', done);
  });
}
