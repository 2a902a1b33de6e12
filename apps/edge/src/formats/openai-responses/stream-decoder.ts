// Decodes a streamed response. Some servers send an item's content only when it is done; it is then
// taken from there.

import type { GatewayError } from '@tollgate/contracts';

import type { StreamDecoder } from '../format';
import { countOf, objectOf, present, textOf } from '../json';
import type { JsonObject, StreamEvent, StreamFault } from '../normalised';
import { createSseReader, MAX_EVENT_BYTES, parseEventObject, type SseEvent } from '../sse';
import { earlyEnd, invalidAnswer } from '../upstream-error';
import { FOREIGN_END, isTerminal, lastResponse, TEXT_DELTA, typeOf } from './events';
import { decodeFailure, failureOf, isErrorEvent } from './failure';
import { createItemDecoder } from './item-decoder';
import { decodeStop } from './status';
import { usageOf } from './usage';

export function createStreamDecoder(): StreamDecoder {
  const reader = createSseReader(MAX_EVENT_BYTES);
  const items = createItemDecoder();
  let begun = false;
  let closed = false;

  function fail(error: GatewayError, fault: StreamFault): StreamEvent[] {
    closed = true;
    return [{ type: 'error', error, fault }];
  }

  function begin(response: JsonObject, into: StreamEvent[]): void {
    if (begun) return;
    begun = true;
    into.push(start(response));
  }

  function take(event: SseEvent, into: StreamEvent[]): boolean {
    const { data } = event;
    if (data === undefined || data === '' || data === FOREIGN_END) return true;
    const wire = parseEventObject(data);
    if (wire === undefined) {
      into.push(...fail(invalidAnswer('an event is not JSON'), 'INVALID_RESPONSE'));
    } else if (isErrorEvent(event.event, wire)) {
      into.push(...fail(decodeFailure(wire), 'UPSTREAM_ERROR'));
    } else takeTyped(typeOf(event, wire), wire, into);
    return !closed;
  }

  function takeTyped(type: string, wire: JsonObject, into: StreamEvent[]): void {
    // Nearly every event takes this path.
    if (begun && type === TEXT_DELTA) {
      items.takeText(wire, into);
      return;
    }
    if (isTerminal(type)) {
      into.push(...complete(lastResponse(type, wire)));
      return;
    }
    const response = objectOf(wire['response']);
    if (response !== undefined) {
      begin(response, into);
      return;
    }
    if (!type.startsWith('response.')) return;
    begin({}, into);
    const flaw = items.take(type, wire, into);
    if (flaw !== undefined) into.push(...fail(invalidAnswer(flaw), 'INVALID_RESPONSE'));
  }

  function complete(response: JsonObject | undefined): StreamEvent[] {
    if (response === undefined) {
      return fail(invalidAnswer('its last event holds no response'), 'INVALID_RESPONSE');
    }
    const failure = failureOf(response);
    if (failure !== undefined) return fail(failure, 'UPSTREAM_ERROR');
    const events: StreamEvent[] = [];
    begin(response, events);
    const flaw = items.takeRest(response['output'], events);
    if (flaw !== undefined) return [...events, ...fail(invalidAnswer(flaw), 'INVALID_RESPONSE')];
    closed = true;
    const usage = usageOf(response);
    const stop = decodeStop(response, items.callsTools());
    events.push({ type: 'stop', choice: 0, ...stop });
    // Some servers leave the output out of the last event; its items were counted one by one.
    const units = Array.isArray(response['output']) ? {} : items.units();
    if (usage !== undefined) events.push({ type: 'usage', usage: { ...usage, ...units } });
    return [...events, { type: 'end' }];
  }

  return {
    push(bytes) {
      const events: StreamEvent[] = [];
      if (closed) return events;
      try {
        reader.push(bytes, (event) => take(event, events));
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        events.push(...fail(invalidAnswer(error.message), 'INVALID_RESPONSE'));
      }
      return events;
    },
    finish() {
      if (closed) return [];
      const last = reader.rest();
      const wire = last.data === undefined ? undefined : parseEventObject(last.data);
      const type = wire === undefined ? '' : typeOf(last, wire);
      if (wire !== undefined && isTerminal(type)) return complete(lastResponse(type, wire));
      return fail(earlyEnd(), 'EARLY_END');
    },
  };
}

function start(response: JsonObject): StreamEvent {
  return {
    type: 'start',
    id: textOf(response['id']) ?? '',
    model: textOf(response['model']) ?? '',
    ...present({
      // Some servers send fractions of seconds.
      createdAtS: countOf(Math.floor(Number(response['created_at'] ?? Number.NaN))),
      serviceTier: textOf(response['service_tier']),
    }),
  };
}
