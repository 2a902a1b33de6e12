// Encodes a streamed response: hub events become items that open, grow and close.

import { gatewayError, type GatewayError } from '@tollgate/contracts';

import type { ReplyContext, StreamEncoder } from '../format';
import { arrayOf } from '../json';
import type {
  JsonObject,
  ReportedUsage,
  StopReason,
  StreamEvent,
  WebSearchCall,
} from '../normalised';
import { sealOf } from '../seals';
import { createEnvelope, type Envelope } from './envelope';
import { createEventWriter } from './events';
import { encodeFailure } from './failure';
import { callPrefix, createItemIds, imageItem } from './output';
import { encodeStop } from './status';
import {
  createCall,
  createImage,
  createMessage,
  createReasoning,
  createSearch,
  type OpenCall,
  type OpenItem,
  type OpenMessage,
  type OpenReasoning,
} from './stream-items';
import { FOREIGN_ID, searchItem } from './web-search';

type Start = Extract<StreamEvent, { type: 'start' }>;
type Delta = Exclude<Extract<StreamEvent, { choice: number }>, { type: 'stop' }>;

export function createStreamEncoder(context: ReplyContext): StreamEncoder {
  const events = createEventWriter(0);
  const output = createOutput(context);
  let envelope: Envelope | undefined;
  let reason: StopReason = 'other';
  let usage: ReportedUsage | undefined;
  let ended = false;

  function begin(start: Omit<Start, 'type'>): string {
    if (envelope !== undefined) return '';
    envelope = createEnvelope(start, context);
    const response = `"response":${JSON.stringify(envelope({ status: 'in_progress', output: [] }))}`;
    return (
      events.write('response.created', response) + events.write('response.in_progress', response)
    );
  }

  /** Writes the opening events if they are missing: every other event requires them. */
  function begun(): string {
    return envelope === undefined ? begin({ id: '', model: '' }) : '';
  }

  function end(): string {
    const start = begun();
    const stop = encodeStop(reason, output.refuses());
    const closed = output.close(stop.status === 'completed' ? 'completed' : 'incomplete');
    const error = stop.status === 'failed' ? gatewayError('upstream_error') : undefined;
    return start + closed + last({ ...stop, output: output.items() }, error);
  }

  /** Open items stay open: a call that was cut off must not look like a complete one. */
  function fail(error: GatewayError): string {
    return begun() + last({ status: 'failed', output: output.itemsSoFar() }, error);
  }

  function last(progress: Parameters<Envelope>[0], error: GatewayError | undefined): string {
    ended = true;
    const tokens = usage?.tokens ?? context.estimatedUsage;
    const failure = error === undefined ? {} : { error: encodeFailure(error) };
    const response = envelope?.({ ...progress, ...failure, tokens });
    return events.write(`response.${progress.status}`, `"response":${JSON.stringify(response)}`);
  }

  function encode(event: StreamEvent): string {
    if (ended) return '';
    switch (event.type) {
      case 'start':
        return begin(event);
      case 'usage':
        usage = event.usage;
        return '';
      case 'units':
        return '';
      case 'end':
        return end();
      case 'error':
        return fail(event.error);
      case 'stop':
        if (event.choice === 0) reason = event.reason;
        return '';
      default:
        // The format has one choice.
        return event.choice === 0 ? begun() + output.take(event, events) : '';
    }
  }

  return { encode };
}

/** The items so far. Text and reasoning are sequential; calls may grow in parallel. */
function createOutput(context: ReplyContext) {
  const ids = createItemIds(context.requestId);
  const items: OpenItem[] = [];
  const open = new Set<OpenItem>();
  const calls = new Map<number, OpenCall>();
  let message: OpenMessage | undefined;
  let reasoning: OpenReasoning | undefined;
  let length = 0;
  let refuses = false;
  const showsSources = context.request?.webSearch?.sources !== undefined;

  type Events = ReturnType<typeof createEventWriter>;

  function add(item: OpenItem): string {
    items.push(item);
    open.add(item);
    return item.open();
  }

  function place(events: Events, prefix: string) {
    return { events, id: ids(prefix, items.length), index: items.length };
  }

  function closeItem(item: OpenItem | undefined, how: 'completed' | 'incomplete'): string {
    return item !== undefined && open.delete(item) ? item.close(how) : '';
  }

  function closeSaid(): string {
    const closed = closeItem(reasoning, 'completed') + closeItem(message, 'completed');
    reasoning = undefined;
    message = undefined;
    return closed;
  }

  function inMessage(events: Events, write: (message: OpenMessage) => string): string {
    if (message !== undefined) return write(message);
    const closed = closeSaid();
    message = createMessage(place(events, 'msg'), length);
    return closed + add(message) + write(message);
  }

  function think(event: Extract<Delta, { type: 'thinking' }>, events: Events): string {
    const { text = '', signature, redacted } = event;
    let opened = '';
    if (reasoning === undefined || reasoning.sealed || redacted !== undefined) {
      opened = closeSaid();
      reasoning = createReasoning(place(events, 'rs'));
      opened += add(reasoning);
    }
    const said = text === '' ? '' : reasoning.text(text);
    if ((redacted ?? signature) !== undefined) reasoning.seal(sealOf(event));
    return opened + said;
  }

  function take(event: Delta, events: Events): string {
    switch (event.type) {
      case 'text': {
        const logprobs = event.logprobs ? arrayOf(event.logprobs['content']) : NONE;
        if (event.text === '' && logprobs.length === 0) return '';
        const text = inMessage(events, (message) => message.text(event.text, logprobs));
        length += event.text.length;
        return text;
      }
      case 'refusal':
        refuses = true;
        return inMessage(events, (message) => message.refusal(event.text));
      case 'citation':
        return inMessage(events, (message) => message.citation(event.citation));
      case 'thinking':
        return think(event, events);
      case 'tool_start': {
        const closed = closeSaid();
        const call = createCall(place(events, callPrefix(event.kind)), event);
        calls.set(event.tool, call);
        return closed + add(call);
      }
      case 'tool_delta':
        return event.arguments === '' ? '' : (calls.get(event.tool)?.delta(event.arguments) ?? '');
      case 'web_search':
        return search(event.search, events);
      case 'image':
        return show(event.url, events);
      case 'audio': {
        // A transcript is better than nothing.
        const said = event.transcript ?? '';
        return said === '' ? '' : take({ type: 'text', choice: 0, text: said }, events);
      }
    }
  }

  function search(made: WebSearchCall, events: Events): string {
    const closed = closeSaid();
    const at = place(events, FOREIGN_ID);
    const item = createSearch(at, searchItem(at.id, made, showsSources));
    return closed + add(item) + closeItem(item, 'completed');
  }

  function show(url: string, events: Events): string {
    const image = imageItem(ids, items.length, { url }, 'completed');
    if (image['type'] !== 'image_generation_call') {
      return take({ type: 'text', choice: 0, text: url }, events);
    }
    const closed = closeSaid();
    const item = createImage(place(events, 'ig'), image);
    return closed + add(item) + closeItem(item, 'completed');
  }

  return {
    take,
    refuses: () => refuses,
    close: (how: 'completed' | 'incomplete') => items.map((item) => closeItem(item, how)).join(''),
    items: (): JsonObject[] => items.map((item) => item.item()),
    itemsSoFar: (): JsonObject[] =>
      items.filter((item) => item.kind !== 'call' || !open.has(item)).map(soFar),
  };
}

const NONE: readonly unknown[] = [];

function soFar(open: OpenItem): JsonObject {
  const item = open.item();
  return item['status'] === 'in_progress' ? { ...item, status: 'incomplete' } : item;
}
