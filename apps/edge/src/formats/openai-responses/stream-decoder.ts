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
import { createItemDecoder, type ItemDecoder } from './item-decoder';
import { decodeStop } from './status';
import { usageOf } from './usage';

interface DecoderState {
  readonly items: ItemDecoder;
  begun: boolean;
  closed: boolean;
}

export function createStreamDecoder(): StreamDecoder {
  const reader = createSseReader(MAX_EVENT_BYTES);
  const decoder: DecoderState = { items: createItemDecoder(), begun: false, closed: false };
  return {
    push(bytes) {
      const events: StreamEvent[] = [];
      if (decoder.closed) return events;
      try {
        reader.push(bytes, (event) => take(decoder, event, events));
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        events.push(...fail(decoder, invalidAnswer(error.message), 'INVALID_RESPONSE'));
      }
      return events;
    },
    finish() {
      if (decoder.closed) return [];
      const last = reader.rest();
      const wire = last.data === undefined ? undefined : parseEventObject(last.data);
      const type = wire === undefined ? '' : typeOf(last, wire);
      if (wire !== undefined && isTerminal(type))
        return complete(decoder, lastResponse(type, wire));
      return fail(decoder, earlyEnd(), 'EARLY_END');
    },
  };
}

function take(decoder: DecoderState, event: SseEvent, into: StreamEvent[]): boolean {
  const { data } = event;
  if (data === undefined || data === '' || data === FOREIGN_END) return true;
  const wire = parseEventObject(data);
  if (wire === undefined) {
    into.push(...fail(decoder, invalidAnswer('an event is not JSON'), 'INVALID_RESPONSE'));
  } else if (isErrorEvent(event.event, wire)) {
    into.push(...fail(decoder, decodeFailure(wire), 'UPSTREAM_ERROR'));
  } else takeTyped(decoder, typeOf(event, wire), wire, into);
  return !decoder.closed;
}

function takeTyped(
  decoder: DecoderState,
  type: string,
  wire: JsonObject,
  into: StreamEvent[],
): void {
  // Nearly every event takes this path.
  if (decoder.begun && type === TEXT_DELTA) {
    decoder.items.takeText(wire, into);
    return;
  }
  if (isTerminal(type)) {
    into.push(...complete(decoder, lastResponse(type, wire)));
    return;
  }
  const response = objectOf(wire['response']);
  if (response !== undefined) {
    begin(decoder, response, into);
    return;
  }
  if (!type.startsWith('response.')) return;
  begin(decoder, {}, into);
  const flaw = decoder.items.take(type, wire, into);
  if (flaw !== undefined) into.push(...fail(decoder, invalidAnswer(flaw), 'INVALID_RESPONSE'));
}

function begin(decoder: DecoderState, response: JsonObject, into: StreamEvent[]): void {
  if (decoder.begun) return;
  decoder.begun = true;
  into.push(start(response));
}

function complete(decoder: DecoderState, response: JsonObject | undefined): StreamEvent[] {
  if (response === undefined) {
    return fail(decoder, invalidAnswer('its last event holds no response'), 'INVALID_RESPONSE');
  }
  const failure = failureOf(response);
  if (failure !== undefined) return fail(decoder, failure, 'UPSTREAM_ERROR');
  const events: StreamEvent[] = [];
  begin(decoder, response, events);
  const flaw = decoder.items.takeRest(response['output'], events);
  if (flaw !== undefined)
    return [...events, ...fail(decoder, invalidAnswer(flaw), 'INVALID_RESPONSE')];
  decoder.closed = true;
  const usage = usageOf(response);
  const stop = decodeStop(response, decoder.items.callsTools());
  events.push({ type: 'stop', choice: 0, ...stop });
  // Some servers leave the output out of the last event; its items were counted one by one.
  const units = Array.isArray(response['output']) ? {} : decoder.items.units();
  if (usage !== undefined) events.push({ type: 'usage', usage: { ...usage, ...units } });
  return [...events, { type: 'end' }];
}

function fail(decoder: DecoderState, error: GatewayError, fault: StreamFault): StreamEvent[] {
  decoder.closed = true;
  return [{ type: 'error', error, fault }];
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
