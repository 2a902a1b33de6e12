// Items of a streamed answer. Each writes its events from opening to close, and tracks its content.

import type { Citation, JsonObject, Seal, ToolCallBlock } from '../normalised';
import { encodeCitation } from './citations';
import { TEXT_DELTA, type EventWriter } from './events';
import {
  callItem,
  encodeLogprob,
  messageItem,
  reasoningItem,
  refusalPart,
  type ItemStatus,
} from './output';

export interface OpenItem {
  readonly kind: 'message' | 'reasoning' | 'call' | 'image' | 'search';
  /** The event that adds the item. */
  open(): string;
  /** The item in its current state. */
  item(): JsonObject;
  /** The events that end the item. */
  close(status: ItemStatus): string;
}

interface Place {
  events: EventWriter;
  id: string;
  index: number;
}

function announce({ events, index }: Place, item: JsonObject): string {
  const fields = `"output_index":${index},"item":${JSON.stringify(item)}`;
  return events.write('response.output_item.added', fields);
}

function finish({ events, index }: Place, item: JsonObject): string {
  const fields = `"output_index":${index},"item":${JSON.stringify(item)}`;
  return events.write('response.output_item.done', fields);
}

function placeFields({ id, index }: Place): string {
  return `"item_id":${JSON.stringify(id)},"output_index":${index}`;
}

interface OpenPart {
  kind: 'text' | 'refusal';
  fields: string;
  text: string;
  annotations: JsonObject[];
  logprobs: JsonObject[];
  /** The offset of its text within the whole. */
  start: number;
}

export interface OpenMessage extends OpenItem {
  text(text: string, logprobs: readonly unknown[]): string;
  refusal(text: string): string;
  citation(citation: Citation): string;
}

interface MessageState {
  readonly place: Place;
  readonly parts: JsonObject[];
  part: OpenPart | undefined;
  length: number;
  /** The events that open a part, until the next event is written. */
  opened: string;
}

/** `textBefore` is the length of the answer's text before this message. */
export function createMessage(place: Place, textBefore: number): OpenMessage {
  const { events, id } = place;
  const state: MessageState = { place, parts: [], part: undefined, length: textBefore, opened: '' };
  let status: ItemStatus = 'in_progress';

  const item = (): JsonObject => {
    const { parts, part } = state;
    return messageItem(id, status, part === undefined ? parts : [...parts, encodePart(part)]);
  };

  return {
    kind: 'message',
    open: () => announce(place, item()),
    item,
    text(text, logprobs) {
      const open = partOf(state, 'text');
      open.text += text;
      state.length += text.length;
      let probs = '[]';
      if (logprobs.length > 0) {
        const encoded = logprobs.map(encodeLogprob);
        open.logprobs.push(...encoded);
        probs = JSON.stringify(encoded);
      }
      const delta = `${open.fields},"delta":${JSON.stringify(text)},"logprobs":${probs}`;
      return takeOpened(state) + events.write(TEXT_DELTA, delta);
    },
    refusal(text) {
      const open = partOf(state, 'refusal');
      open.text += text;
      const delta = `${open.fields},"delta":${JSON.stringify(text)}`;
      return takeOpened(state) + events.write('response.refusal.delta', delta);
    },
    citation(citation) {
      const open = partOf(state, 'text');
      const at = open.annotations.length;
      const annotation = encodeCitation(citation, open.start, state.length);
      open.annotations.push(annotation);
      const fields = `${open.fields},"annotation_index":${at},"annotation":${JSON.stringify(annotation)}`;
      return takeOpened(state) + events.write('response.output_text.annotation.added', fields);
    },
    close(how) {
      status = how;
      return closePart(state) + finish(place, item());
    },
  };
}

function partOf(state: MessageState, kind: OpenPart['kind']): OpenPart {
  if (state.part?.kind === kind) return state.part;
  state.opened = closePart(state);
  const fields = `${placeFields(state.place)},"content_index":${state.parts.length}`;
  state.part = { kind, fields, text: '', annotations: [], logprobs: [], start: state.length };
  state.opened += writePart(state.place, 'response.content_part.added', state.part);
  return state.part;
}

/** The events that open a part, if the current event needs one. */
function takeOpened(state: MessageState): string {
  const text = state.opened;
  state.opened = '';
  return text;
}

function closePart(state: MessageState): string {
  if (state.part === undefined) return '';
  const { events } = state.place;
  const { kind, fields, text, logprobs } = state.part;
  const done =
    kind === 'refusal'
      ? events.write('response.refusal.done', `${fields},"refusal":${JSON.stringify(text)}`)
      : events.write(
          'response.output_text.done',
          `${fields},"text":${JSON.stringify(text)},"logprobs":${JSON.stringify(logprobs)}`,
        );
  const closed = done + writePart(state.place, 'response.content_part.done', state.part);
  state.parts.push(encodePart(state.part));
  state.part = undefined;
  return closed;
}

function writePart({ events }: Place, type: string, open: OpenPart): string {
  return events.write(type, `${open.fields},"part":${JSON.stringify(encodePart(open))}`);
}

function encodePart({ kind, text, annotations, logprobs }: OpenPart): JsonObject {
  if (kind === 'refusal') return refusalPart(text);
  return { type: 'output_text', annotations: [...annotations], logprobs: [...logprobs], text };
}

export interface OpenReasoning extends OpenItem {
  text(text: string): string;
  /** Sealed reasoning cannot grow. */
  seal(seal: Seal): void;
  readonly sealed: boolean;
}

const SUMMARY = 'response.reasoning_summary';

export function createReasoning(place: Place): OpenReasoning {
  const { events, id } = place;
  const fields = `${placeFields(place)},"summary_index":0`;
  let text = '';
  let begun = false;
  let seal: Seal | undefined;

  const item = (): JsonObject => reasoningItem(id, { text, ...seal });
  const part = (): string => JSON.stringify({ type: 'summary_text', text });

  return {
    kind: 'reasoning',
    open: () => announce(place, item()),
    item,
    text(more) {
      const opened = begun
        ? ''
        : events.write(`${SUMMARY}_part.added`, `${fields},"part":${part()}`);
      begun = true;
      text += more;
      const delta = `${fields},"delta":${JSON.stringify(more)}`;
      return opened + events.write(`${SUMMARY}_text.delta`, delta);
    },
    seal(given) {
      seal = given;
    },
    get sealed() {
      return seal !== undefined;
    },
    close() {
      const closed = begun
        ? events.write(`${SUMMARY}_text.done`, `${fields},"text":${JSON.stringify(text)}`) +
          events.write(`${SUMMARY}_part.done`, `${fields},"part":${part()}`)
        : '';
      return closed + finish(place, item());
    },
  };
}

export interface OpenCall extends OpenItem {
  delta(text: string): string;
}

export function createCall(
  place: Place,
  call: Pick<ToolCallBlock, 'id' | 'kind' | 'name'>,
): OpenCall {
  const { events, id } = place;
  const fields = placeFields(place);
  const [name, field] =
    call.kind === 'function'
      ? ['response.function_call_arguments', 'arguments']
      : ['response.custom_tool_call_input', 'input'];
  let text = '';
  let status: ItemStatus = 'in_progress';
  const item = (): JsonObject => callItem(id, { ...call, arguments: text }, status);

  return {
    kind: 'call',
    open: () => announce(place, item()),
    item,
    delta(more) {
      text += more;
      return events.write(`${name}.delta`, `${fields},"delta":${JSON.stringify(more)}`);
    },
    close(how) {
      status = how;
      const done = events.write(`${name}.done`, `${fields},"${field}":${JSON.stringify(text)}`);
      return done + finish(place, item());
    },
  };
}

/** An image arrives complete. */
export function createImage(place: Place, image: JsonObject): OpenItem {
  const fields = placeFields(place);
  return {
    kind: 'image',
    open: () => announce(place, { ...image, status: 'in_progress', result: null }),
    item: () => image,
    close: () =>
      place.events.write('response.image_generation_call.completed', fields) + finish(place, image),
  };
}

/** A search arrives complete, with its results. */
export function createSearch(place: Place, search: JsonObject): OpenItem {
  const write = (step: string): string =>
    place.events.write(`response.web_search_call.${step}`, placeFields(place));
  return {
    kind: 'search',
    open: () =>
      announce(place, { ...search, status: 'in_progress' }) +
      write('in_progress') +
      write('searching'),
    item: () => search,
    close: () => write('completed') + finish(place, search),
  };
}
