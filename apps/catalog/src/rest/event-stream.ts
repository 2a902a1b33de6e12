import type { Response } from 'express';

import { createPlaces } from './places';
import { alarmClock, drained, type Alarm } from './slow-caller';

/** Server-sent events as the answer. */
export interface EventStream {
  /**
   * Events until the signal aborts. Undefined writes a comment, so that proxies keep the connection
   * and a caller that is gone is noticed.
   */
  readonly events: (signal: AbortSignal) => AsyncIterable<StreamEvent | undefined>;
}

export interface StreamEvent {
  readonly name: string;
  /** Sent as JSON. */
  readonly data: unknown;
}

/** Concurrent streams of one process, and of one user: each asks the database every second. */
const places = createPlaces({ all: 100, ofOwner: 6 });
/** A stream is authorised when it begins, so a caller who loses access may read for this long. */
export const STREAM_MS = 60_000;

/** Casts a stream to the schema's type, text. */
export function eventStream(stream: EventStream): string {
  return stream as unknown as string;
}

export function isEventStream(body: unknown): body is EventStream {
  return typeof body === 'object' && body !== null && 'events' in body;
}

/**
 * Writes events with backpressure until the caller is gone or a minute is over; the event `end`
 * then says that nothing is missing. An error cuts the connection.
 */
export async function sendEvents(
  response: Response,
  { events }: EventStream,
  userId: string,
  alarm: Alarm = alarmClock,
): Promise<void> {
  const leave = places.take(response, userId);
  const ending = new AbortController();
  const gone = (): void => ending.abort();
  response.once('close', gone);
  const callOff = alarm(STREAM_MS, gone);
  try {
    response.status(200).setHeader('content-type', 'text/event-stream; charset=utf-8');
    // Proxies must neither compress nor collect the events.
    response.setHeader('cache-control', 'no-store, no-transform');
    response.setHeader('x-accel-buffering', 'no');
    response.flushHeaders();
    for await (const event of events(ending.signal)) {
      if (response.destroyed) return;
      const text = event === undefined ? ':\n\n' : frame(event);
      if (!response.write(text)) await drained(response, alarm);
    }
    if (!response.destroyed) response.end(frame({ name: 'end', data: {} }));
  } catch (error) {
    response.destroy();
    throw error;
  } finally {
    callOff();
    response.off('close', gone);
    leave();
  }
}

function frame({ name, data }: StreamEvent): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
