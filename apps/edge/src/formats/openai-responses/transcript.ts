// Records a watched stream so that the gateway can end it: an answer that is cut at a bound keeps
// its output, and sequence numbers continue those of the upstream.

import type { GatewayError, TokenUsage } from '@tollgate/contracts';

import type { StreamEnding } from '../format';
import { arrayOf, countOf, objectOf, textOf } from '../json';
import type { JsonObject } from '../normalised';
import { textOfStringBody } from '../output-buffer';
import { numberOf } from './delta-scan';
import { createEnvelope } from './envelope';
import { createEventWriter, type EventWriter } from './events';
import { encodeFailure } from './failure';
import { refusalPart, textPart } from './output';
import { encodeStop } from './status';
import { encodeUsage } from './usage';

interface Item {
  index: number;
  /** The item as it was added, or as it was when it was done. */
  wire: JsonObject;
  done: boolean;
  /** Of a message: its finished parts, and the kind of the open one. */
  parts: JsonObject[];
  growing: string | undefined;
  /** The deltas of the open part, in wire form. */
  deltas: string[];
}

export interface Transcript {
  /** Adds a delta to the open part. */
  said(latin1: string, delta: string): void;
  /** Takes any other event that was passed on. */
  take(type: string, wire: JsonObject, latin1: string): void;
  /** Whether there is any item. */
  begun(): boolean;
  readonly ending: StreamEnding;
}

/** Limits the state that one stream can create. */
const MAX_ITEMS = 1_024;

export function createTranscript(): Transcript {
  const items = new Map<number, Item>();
  let latest: Item | undefined;
  let response: JsonObject | undefined;
  let lastEvent = '';
  let events = 0;

  function passed(latin1: string): void {
    lastEvent = latin1;
    events += 1;
  }

  function add(wire: JsonObject, item: JsonObject): void {
    if (items.size >= MAX_ITEMS) return;
    const index = countOf(wire['output_index']) ?? items.size;
    latest = { index, wire: item, done: false, parts: [], growing: undefined, deltas: [] };
    items.set(index, latest);
  }

  function nextNumber(): number {
    return (numberOf(lastEvent) ?? events - 1) + 1;
  }

  function end(status: 'failed' | 'incomplete', writer: EventWriter, fields: JsonObject): string {
    const envelope = response ?? createEnvelope(NOBODY, NOWHERE)({ status, output: [] });
    const ended = { ...envelope, status, ...fields };
    return writer.write(`response.${status}`, `"response":${JSON.stringify(ended)}`);
  }

  function inOrder(): Item[] {
    return [...items.values()].sort((a, b) => a.index - b.index);
  }

  return {
    said(latin1, delta) {
      passed(latin1);
      latest?.deltas.push(delta);
    },
    take(type, wire, latin1) {
      passed(latin1);
      response = objectOf(wire['response']) ?? response;
      const item = objectOf(wire['item']);
      const known = items.get(countOf(wire['output_index']) ?? -1);
      if (type === 'response.output_item.added' && item !== undefined) add(wire, item);
      else if (type === 'response.output_item.done' && item !== undefined && known !== undefined) {
        Object.assign(known, { wire: item, done: true, deltas: [] });
      } else if (type === 'response.content_part.added' && known !== undefined) {
        known.growing = textOf(objectOf(wire['part'])?.['type']);
        known.deltas = [];
      } else if (type === 'response.content_part.done' && known !== undefined) {
        known.parts.push(objectOf(wire['part']) ?? {});
        known.growing = undefined;
        known.deltas = [];
      }
    },
    begun: () => items.size > 0,
    ending: {
      fail(error: GatewayError): string {
        const output = inOrder().flatMap((item) => (isCut(item) ? [] : [soFar(item)]));
        const writer = createEventWriter(nextNumber());
        return end('failed', writer, { error: encodeFailure(error), output });
      },
      cut(tokens: TokenUsage): string {
        const writer = createEventWriter(nextNumber());
        const closed = inOrder().map((item) => (item.done ? '' : close(item, writer)));
        const { incomplete_details } = encodeStop('length', false);
        const output = inOrder().map(soFar);
        const usage = encodeUsage(tokens);
        return closed.join('') + end('incomplete', writer, { incomplete_details, output, usage });
      },
    },
  };
}

const NOBODY = { id: '', model: '' };
const NOWHERE = { requestId: '', provider: '', model: '', createdAtS: 0, includeUsage: true };

const CALL_FIELDS: Readonly<Record<string, readonly [event: string, field: string]>> = {
  function_call: ['response.function_call_arguments', 'arguments'],
  custom_tool_call: ['response.custom_tool_call_input', 'input'],
};

function callFields({ wire }: Item) {
  const type = textOf(wire['type']) ?? '';
  return Object.hasOwn(CALL_FIELDS, type) ? CALL_FIELDS[type] : undefined;
}

/** A call that was cut off must not look like a complete one. */
function isCut(item: Item): boolean {
  return !item.done && callFields(item) !== undefined;
}

function textIn(deltas: readonly string[]): string {
  return textOfStringBody(deltas.join(''));
}

/** An item in its current state. */
function soFar(item: Item): JsonObject {
  const { wire, done } = item;
  if (done) return wire;
  const call = callFields(item);
  if (call !== undefined) {
    const said = textIn(item.deltas) || textOf(wire[call[1]]) || '';
    const status = wire['status'] === undefined ? {} : { status: 'incomplete' };
    return { ...wire, ...status, [call[1]]: said };
  }
  if (wire['type'] === 'message') {
    const content = [...item.parts, ...growingPart(item)];
    return { ...wire, status: 'incomplete', content };
  }
  if (wire['type'] === 'reasoning') {
    const text = textIn(item.deltas);
    const summary = text === '' ? arrayOf(wire['summary']) : [{ type: 'summary_text', text }];
    return { ...wire, summary };
  }
  return wire;
}

function growingPart({ growing, deltas }: Item): JsonObject[] {
  if (growing === undefined) return [];
  const text = textIn(deltas);
  return [growing === 'refusal' ? refusalPart(text) : textPart({ text }, 0, [])];
}

/** The events that end an item in its current state. */
function close(item: Item, events: EventWriter): string {
  const { index, wire, parts } = item;
  const final = soFar(item);
  const place = `"item_id":${JSON.stringify(textOf(wire['id']) ?? '')},"output_index":${index}`;
  let closed = '';
  const call = callFields(item);
  if (call !== undefined) {
    const [event, field] = call;
    closed += events.write(`${event}.done`, `${place},"${field}":${JSON.stringify(final[field])}`);
  }
  const [part] = growingPart(item);
  if (part !== undefined) {
    const at = `${place},"content_index":${parts.length}`;
    closed +=
      part['type'] === 'refusal'
        ? events.write(
            'response.refusal.done',
            `${at},"refusal":${JSON.stringify(part['refusal'])}`,
          )
        : events.write(
            'response.output_text.done',
            `${at},"text":${JSON.stringify(part['text'])},"logprobs":[]`,
          );
    closed += events.write('response.content_part.done', `${at},"part":${JSON.stringify(part)}`);
  }
  const fields = `"output_index":${index},"item":${JSON.stringify(final)}`;
  return closed + events.write('response.output_item.done', fields);
}
