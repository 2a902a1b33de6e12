// Decodes a streamed message. Each delta names its block; usage comes in parts, as running totals.

import { GatewayError } from '@tollgate/contracts';

import type { StreamDecoder } from '../format';
import type { StreamEvent, StreamFault } from '../normalised';
import {
  createEventSplitter,
  MAX_EVENT_BYTES,
  parseEventObject,
  readEvent,
  type SseEvent,
} from '../sse';
import { earlyEnd, invalidAnswer } from '../upstream-error';
import { streamedError } from './error';
import { dataIn, isErrorEvent, isTerminal, readNamedEvent, TERMINAL } from './events';
import { createAnswer, takeWire } from './stream-answer';

export function createStreamDecoder(): StreamDecoder {
  const splitter = createEventSplitter(MAX_EVENT_BYTES);
  const answer = createAnswer();
  let closed = false;

  function fail(error: GatewayError, fault: StreamFault): StreamEvent {
    closed = true;
    return { type: 'error', error, fault };
  }

  function take(event: SseEvent, into: StreamEvent[]): boolean {
    const data = dataIn(event);
    if (data === undefined) return true;
    const wire = parseEventObject(data);
    if (wire === undefined) throw invalidAnswer('an event is not JSON');
    if (isErrorEvent(event.event, wire)) {
      into.push(fail(streamedError(wire), 'UPSTREAM_ERROR'));
      return false;
    }
    takeWire(answer, wire, into);
    closed = wire['type'] === TERMINAL;
    return !closed;
  }

  /** Invalid bytes become an error event. */
  function guard(read: (events: StreamEvent[]) => void): StreamEvent[] {
    const events: StreamEvent[] = [];
    try {
      read(events);
    } catch (error) {
      if (error instanceof GatewayError) events.push(fail(error, 'INVALID_RESPONSE'));
      else if (error instanceof RangeError) {
        events.push(fail(invalidAnswer(error.message), 'INVALID_RESPONSE'));
      } else throw error;
    }
    return events;
  }

  return {
    push(bytes) {
      if (closed) return [];
      const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      return guard((events) => {
        splitter.push(chunk, (raw) => take(readNamedEvent(raw), events));
      });
    },
    finish() {
      if (closed) return [];
      const rest = readEvent(splitter.rest().toString('utf8'));
      if (!isTerminal(rest)) return [fail(earlyEnd(), 'EARLY_END')];
      return guard((events) => take(rest, events));
    },
  };
}
