import { setTimeout as sleep } from 'node:timers/promises';
import type { rest } from '@tollgate/contracts';
import type { Response } from 'express';

import { createPlaces } from './places';
import { alarmClock, drained, type Alarm } from './slow-caller';

/** A streamed file as the answer, produced at the caller's speed. */
export interface Download {
  readonly filename: string;
  readonly chunks: AsyncIterable<string | Buffer>;
}

/** Concurrent downloads of one process, and of one organisation or platform user. */
const places = createPlaces({ all: 4, ofOwner: 2 });
/**
 * Production pauses for as long as it worked, so that it takes at most half of the process's and
 * the database's time. Milliseconds of work before a pause, and the longest pause.
 */
const WORK_MS = 5;
const MAX_PAUSE_MS = 50;

/**
 * Casts a file to the schema's type, text. An error before the first piece is answered normally;
 * after that the connection is cut, so that a partial file is not taken for a whole one.
 */
export function download(file: Download): string {
  return file as unknown as string;
}

export function isDownload(body: unknown): body is Download {
  return typeof body === 'object' && body !== null && 'chunks' in body && 'filename' in body;
}

/**
 * Writes the pieces with backpressure. When the caller disconnects, reading from the database
 * stops.
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
  const leave = places.take(response, owner);
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
      if (!response.write(piece.value)) await drained(response, alarm);
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
    leave();
    await pieces.return?.();
  }
}
