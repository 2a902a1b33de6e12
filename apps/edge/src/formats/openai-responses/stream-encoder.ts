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
type Events = ReturnType<typeof createEventWriter>;
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

interface OutputState {
  readonly ids: ReturnType<typeof createItemIds>;
  readonly showsSources: boolean;
  readonly items: OpenItem[];
  readonly open: Set<OpenItem>;
  readonly calls: Map<number, OpenCall>;
  message: OpenMessage | undefined;
  reasoning: OpenReasoning | undefined;
  length: number;
  refuses: boolean;
}

/** The items so far. Text and reasoning are sequential; calls may grow in parallel. */
function createOutput(context: ReplyContext) {
  const output: OutputState = {
    ids: createItemIds(context.requestId),
    showsSources: context.request?.webSearch?.sources !== undefined,
    items: [],
    open: new Set(),
    calls: new Map(),
    message: undefined,
    reasoning: undefined,
    length: 0,
    refuses: false,
  };
  const { items, open } = output;
  return {
    take: (event: Delta, events: Events) => take(output, event, events),
    refuses: () => output.refuses,
    close: (how: 'completed' | 'incomplete') =>
      items.map((item) => closeItem(output, item, how)).join(''),
    items: (): JsonObject[] => items.map((item) => item.item()),
    itemsSoFar: (): JsonObject[] =>
      items.filter((item) => item.kind !== 'call' || !open.has(item)).map(soFar),
  };
}

function take(output: OutputState, event: Delta, events: Events): string {
  switch (event.type) {
    case 'text': {
      const logprobs = event.logprobs ? arrayOf(event.logprobs['content']) : NONE;
      if (event.text === '' && logprobs.length === 0) return '';
      const text = inMessage(output, events, (message) => message.text(event.text, logprobs));
      output.length += event.text.length;
      return text;
    }
    case 'refusal':
      output.refuses = true;
      return inMessage(output, events, (message) => message.refusal(event.text));
    case 'citation':
      return inMessage(output, events, (message) => message.citation(event.citation));
    case 'thinking':
      return think(output, event, events);
    case 'tool_start': {
      const closed = closeSaid(output);
      const call = createCall(place(output, events, callPrefix(event.kind)), event);
      output.calls.set(event.tool, call);
      return closed + add(output, call);
    }
    case 'tool_delta':
      return event.arguments === ''
        ? ''
        : (output.calls.get(event.tool)?.delta(event.arguments) ?? '');
    case 'web_search':
      return search(output, event.search, events);
    case 'image':
      return show(output, event.url, events);
    case 'audio': {
      // A transcript is better than nothing.
      const said = event.transcript ?? '';
      return said === '' ? '' : take(output, { type: 'text', choice: 0, text: said }, events);
    }
  }
}

function think(
  output: OutputState,
  event: Extract<Delta, { type: 'thinking' }>,
  events: Events,
): string {
  const { text = '', signature, redacted } = event;
  let opened = '';
  if (output.reasoning === undefined || output.reasoning.sealed || redacted !== undefined) {
    opened = closeSaid(output);
    output.reasoning = createReasoning(place(output, events, 'rs'));
    opened += add(output, output.reasoning);
  }
  const said = text === '' ? '' : output.reasoning.text(text);
  if ((redacted ?? signature) !== undefined) output.reasoning.seal(sealOf(event));
  return opened + said;
}

function search(output: OutputState, made: WebSearchCall, events: Events): string {
  const closed = closeSaid(output);
  const at = place(output, events, FOREIGN_ID);
  const item = createSearch(at, searchItem(at.id, made, output.showsSources));
  return closed + add(output, item) + closeItem(output, item, 'completed');
}

function show(output: OutputState, url: string, events: Events): string {
  const image = imageItem(output.ids, output.items.length, { url }, 'completed');
  if (image['type'] !== 'image_generation_call') {
    return take(output, { type: 'text', choice: 0, text: url }, events);
  }
  const closed = closeSaid(output);
  const item = createImage(place(output, events, 'ig'), image);
  return closed + add(output, item) + closeItem(output, item, 'completed');
}

function inMessage(
  output: OutputState,
  events: Events,
  write: (message: OpenMessage) => string,
): string {
  if (output.message !== undefined) return write(output.message);
  const closed = closeSaid(output);
  output.message = createMessage(place(output, events, 'msg'), output.length);
  return closed + add(output, output.message) + write(output.message);
}

function closeSaid(output: OutputState): string {
  const closed =
    closeItem(output, output.reasoning, 'completed') +
    closeItem(output, output.message, 'completed');
  output.reasoning = undefined;
  output.message = undefined;
  return closed;
}

function closeItem(
  output: OutputState,
  item: OpenItem | undefined,
  how: 'completed' | 'incomplete',
): string {
  return item !== undefined && output.open.delete(item) ? item.close(how) : '';
}

function add(output: OutputState, item: OpenItem): string {
  output.items.push(item);
  output.open.add(item);
  return item.open();
}

function place(output: OutputState, events: Events, prefix: string) {
  return { events, id: output.ids(prefix, output.items.length), index: output.items.length };
}

const NONE: readonly unknown[] = [];

function soFar(open: OpenItem): JsonObject {
  const item = open.item();
  return item['status'] === 'in_progress' ? { ...item, status: 'incomplete' } : item;
}
