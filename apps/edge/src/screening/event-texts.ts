// The texts of one event of a streamed answer. A text that continues one of an earlier event names its
// channel; others are whole. Each format says in its own fields which text an event continues.

import type { AnswerKind } from '@tollgate/screening';

import type { JsonObject } from '../formats';
import { arrayOf, countOf, isObject, objectOf, textOf } from '../formats/json';
import { visitField } from './leaves';
import { isJsonText, placeOf } from './places';

export interface EventText {
  readonly kind: AnswerKind;
  readonly text: string;
  readonly set: (text: string) => void;
  /** Undefined: the text is whole. */
  readonly channel: string | undefined;
  /** A part of the answer, whose texts follow one another. */
  readonly group: string;
}

export interface EventTexts {
  readonly texts: readonly EventText[];
  /** Parts of the answer that end with this event. */
  readonly ended: readonly string[];
}

export function eventTexts(event: JsonObject): EventTexts {
  const texts: EventText[] = [];
  const ended: string[] = [];
  for (const [at, choice] of arrayOf(event['choices']).entries()) {
    addChoice(choice, at, texts, ended);
  }
  for (const [at, candidate] of arrayOf(event['candidates']).entries()) {
    addCandidate(candidate, at, texts, ended);
  }
  addDelta(event, texts);
  const type = textOf(event['type']) ?? '';
  // Its events repeat what earlier ones have added.
  const repeats = type.startsWith('response.');
  addFields(event, CONTINUED, { channel: undefined, group: '', repeats }, texts);
  if (type.endsWith('.done') || type === 'content_block_stop') ended.push(groupOf(event));
  return { texts, ended };
}

/** Fields whose texts continue others. */
const CONTINUED: ReadonlySet<string> = new Set(['candidates', 'choices', 'delta']);
const NO_FIELDS: ReadonlySet<string> = new Set();

/** Of the formats openai-chat, unified and completions. */
function addChoice(value: unknown, at: number, texts: EventText[], ended: string[]): void {
  const choice = objectOf(value);
  if (!choice) return;
  const group = `choice ${countOf(choice['index']) ?? at}`;
  const { delta, text } = choice;
  if (typeof text === 'string') {
    const set = (changed: string): void => {
      choice['text'] = changed;
    };
    texts.push({ kind: OUTPUT, text, set, channel: `${group} text`, group });
  }
  if (isObject(delta)) {
    addFields(delta, CALLS, { channel: group, group }, texts);
    for (const [place, call] of arrayOf(delta['tool_calls']).map(objectOf).entries()) {
      const channel = `${group} tool ${countOf(call?.['index']) ?? place}`;
      if (call) addFields(call, NO_FIELDS, { channel, group }, texts);
    }
  }
  addFields(choice, CHOICE_TEXTS, { channel: undefined, group }, texts);
  if (choice['finish_reason'] !== null && choice['finish_reason'] !== undefined) ended.push(group);
}

const CALLS: ReadonlySet<string> = new Set(['tool_calls']);
const CHOICE_TEXTS: ReadonlySet<string> = new Set(['delta', 'text']);

/** Of the format gemini-generate. Calls of functions are whole. */
function addCandidate(value: unknown, at: number, texts: EventText[], ended: string[]): void {
  const candidate = objectOf(value);
  if (!candidate) return;
  const group = `candidate ${countOf(candidate['index']) ?? at}`;
  for (const part of arrayOf(objectOf(candidate['content'])?.['parts']).map(objectOf)) {
    if (!part) continue;
    const { text } = part;
    if (typeof text === 'string' && text !== '') {
      const set = (changed: string): void => {
        part['text'] = changed;
      };
      const channel = `${group} ${part['thought'] === true ? 'thought' : 'text'}`;
      texts.push({ kind: OUTPUT, text, set, channel, group });
    }
    addFields(part, PART_TEXT, { channel: undefined, group }, texts);
  }
  addFields(candidate, CONTENT, { channel: undefined, group }, texts);
  if (textOf(candidate['finishReason'])) ended.push(group);
}

const PART_TEXT: ReadonlySet<string> = new Set(['text']);
const CONTENT: ReadonlySet<string> = new Set(['content']);

/** Of the formats anthropic-messages and openai-responses, and of transcriptions. */
function addDelta(event: JsonObject, texts: EventText[]): void {
  const { delta } = event;
  const group = groupOf(event);
  const type = textOf(event['type']) ?? '';
  if (isObject(delta)) {
    addFields(delta, NO_FIELDS, { channel: `${group} ${type}`, group }, texts);
    return;
  }
  if (typeof delta !== 'string') return;
  const [item, part, summary] = [event['item_id'], event['content_index'], event['summary_index']];
  const json = type.endsWith('arguments.delta');
  const args = json || type.includes('custom_tool_call_input');
  const set = (text: string): void => {
    event['delta'] = text;
  };
  texts.push({
    kind: { place: args ? 'TOOL_ARGUMENTS' : 'OUTPUT', json },
    text: delta,
    set,
    channel: [group, type, item, part, summary].map(String).join(' '),
    group,
  });
}

/** A block of the messages format, an item of the responses format. */
function groupOf(event: JsonObject): string {
  return `part ${countOf(event['output_index']) ?? countOf(event['index']) ?? ''}`;
}

const OUTPUT: AnswerKind = { place: 'OUTPUT', json: false };

interface Part {
  /** Its beginning; undefined: the texts are whole. */
  readonly channel: string | undefined;
  readonly group: string;
  readonly repeats?: boolean;
}

/** The texts of an object's fields, but for some that are read otherwise. */
function addFields(
  owner: JsonObject,
  except: ReadonlySet<string>,
  { channel, group, repeats = false }: Part,
  texts: EventText[],
): void {
  for (const [name, inner] of Object.entries(owner)) {
    if (except.has(name)) continue;
    visitField(owner, name, inner, ({ path, set, text }) => {
      const own = channel === undefined ? undefined : `${channel} ${path.join('.')}`;
      const kind = { place: placeOf(path), json: isJsonText(path), repeats };
      texts.push({ kind, text, set, channel: own, group });
    });
  }
}
