// The texts of a request in any client's format, with whose they are.

import type { ScreeningRole } from '@tollgate/contracts';
import type { InputText } from '@tollgate/screening';

import type { JsonObject } from '../formats';
import { arrayOf, isObject, objectOf } from '../formats/json';
import { visitField, visitTexts, type Leaf } from './leaves';
import { isJsonText } from './places';

export interface RequestText extends InputText {
  readonly set: (text: string) => void;
}

/** Fields that instruct the model, and those that shape its answer. */
const SYSTEM: ReadonlySet<string> = new Set([
  'functions',
  'generationConfig',
  'generation_config',
  'instructions',
  'response_format',
  'system',
  'systemInstruction',
  'system_instruction',
  'tool_choice',
  'toolConfig',
  'tools',
]);
/** Fields that hold the turns of a conversation. */
const TURNS: ReadonlySet<string> = new Set(['contents', 'input', 'items', 'messages']);

/** In the order of the document. */
export function requestTexts(body: JsonObject): RequestText[] {
  const texts: RequestText[] = [];
  for (const [name, value] of Object.entries(body)) {
    if (TURNS.has(name) && hasTurns(value)) addTurns(value, texts);
    else addField(texts, body, name, rolesOf(name));
  }
  return texts;
}

/** Token ids stand for text that nobody can read here. */
export function hasTokenIds(body: JsonObject): boolean {
  return ['prompt', 'input', 'tokens', 'prompt_token_ids'].some((name) => {
    return arrayOf(body[name]).some(
      (one) => typeof one === 'number' || (Array.isArray(one) && typeof one[0] === 'number'),
    );
  });
}

const USER = { place: 'INPUT', role: 'user', fresh: true } as const;
type Kind = InputText['kind'];

function rolesOf(field: string): Kind {
  return SYSTEM.has(field) ? { place: 'INPUT', role: 'system', fresh: false } : USER;
}

function addField(texts: RequestText[], owner: JsonObject, name: string, kind: Kind): void {
  visitField(owner, name, owner[name], (leaf) => texts.push(textOf(leaf, kind)));
}

function add(texts: RequestText[], value: unknown, kind: Kind): void {
  visitTexts(value, [], (leaf) => texts.push(textOf(leaf, kind)));
}

function textOf({ path, set, text }: Leaf, kind: Kind): RequestText {
  return { kind, text, json: isJsonText(path), set };
}

function hasTurns(value: unknown): value is unknown[] {
  return Array.isArray(value) && value.some((turn) => isObject(turn));
}

function addTurns(turns: unknown[], texts: RequestText[]): void {
  // An answer that nothing follows is one that the model continues; what it answers is still new.
  const question = turns.findLastIndex((turn) => !isAnswer(turn));
  const last = turns.findLastIndex((turn, at) => at < question && isAnswer(turn));
  for (const [at, turn] of turns.entries()) {
    const fresh = at > last;
    if (isObject(turn)) addTurn(turn, fresh, texts);
    else if (typeof turn === 'string') texts.push(itemOf(turns, at, turn, { ...USER, fresh }));
  }
}

function addTurn(turn: JsonObject, fresh: boolean, texts: RequestText[]): void {
  if (isResultItem(turn)) {
    add(texts, turn, { place: 'TOOL_RESULTS', role: 'user', fresh });
    return;
  }
  const role = roleOf(turn);
  const kind = { place: 'INPUT', role, fresh: fresh && role === 'user' } as const;
  for (const [name, value] of Object.entries(turn)) {
    const parts = name === 'content' || name === 'parts' ? value : undefined;
    if (!Array.isArray(parts)) addField(texts, turn, name, kind);
    else addParts(parts, kind, texts);
  }
}

/** A turn of the user may hold results of tools beside its text. */
function addParts(parts: unknown[], kind: Kind, texts: RequestText[]): void {
  for (const [at, part] of parts.entries()) {
    const result = isObject(part) && isResultPart(part);
    const { fresh, role } = kind;
    const own = result ? ({ place: 'TOOL_RESULTS', role, fresh } as const) : kind;
    if (isObject(part)) add(texts, part, own);
    else if (typeof part === 'string') texts.push(itemOf(parts, at, part, own));
  }
}

function itemOf(list: unknown[], at: number, text: string, kind: Kind): RequestText {
  const set = (changed: string): void => {
    list[at] = changed;
  };
  return { kind, text, set };
}

function roleOf({ role, type }: JsonObject): ScreeningRole {
  if (role === 'system' || role === 'developer') return 'system';
  return isAnswer({ role, type }) ? 'assistant' : 'user';
}

// A role is a provider's whole truth: fields that it ignores must not make a user's text another's.
function isAnswer(turn: unknown): boolean {
  const { role, type } = objectOf(turn) ?? {};
  if (typeof role === 'string') return role === 'assistant' || role === 'model';
  return typeof type === 'string' && ANSWERED.test(type);
}

/** Items of the responses format that a model has made. */
const ANSWERED = /_call$|^reasoning$|^compaction$/;
const RESULT = /_output$|_result$|^tool_result$|^mcp_approval_response$/;

function isResultItem({ role, type }: JsonObject): boolean {
  if (typeof role === 'string') return role === 'tool' || role === 'function';
  return typeof type === 'string' && RESULT.test(type);
}

/** What a user has written is the part's own text, whatever else it has. */
function isResultPart(part: JsonObject): boolean {
  const { functionResponse, function_response: response, text, type } = part;
  if (typeof text === 'string') return false;
  if (isObject(functionResponse) || isObject(response)) return true;
  return typeof type === 'string' && RESULT.test(type);
}
