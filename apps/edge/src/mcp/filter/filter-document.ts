// Filters the lists in one JSON-RPC message.

import { allAllow, gatewayError, restricts } from '@tollgate/contracts';

import { EVENT_LIMITS } from '../../json/limits';
import { findExcess } from '../../json/scan';
import { UpstreamFailure } from '../../upstream/failure';
import { documentSpan, elementsOf, membersOf, type Member, type Span } from './json-spans';
import { LISTS, type ListMethod, type ListShape } from './lists';
import { allowsTemplate, type RuleSets } from './name-rules';

export interface DocumentRules {
  /** The method that is answered; undefined: any, as on a stream that replays earlier answers. */
  readonly method: ListMethod | undefined;
  readonly rules: RuleSets;
  /** Whether a tool that the rules allow stays in the list. The definition is the parsed entry. */
  readonly admitTool?: ((name: string, definition: unknown) => boolean) | undefined;
}

/** A part of the document and the text that replaces it. */
interface Edit extends Span {
  readonly text: string;
}

/**
 * The document without the entries that the rules do not allow, and not cacheable for others where rules
 * apply. Undefined: nothing changes, so its bytes are passed on as they are.
 *
 * A document that two parsers may read differently is refused: one with a field twice, or in other case,
 * because Go's parser takes that for the field.
 * @throws UpstreamFailure when the document cannot be filtered
 */
export function filterDocument(bytes: Buffer, rules: DocumentRules): string | undefined {
  const text = readJson(bytes);
  const members = membersOf(text, documentSpan(text));
  if (!members) throw unreadable('is no JSON-RPC message');
  const result = onlyMember(members, 'result');
  const fields = result && membersOf(text, result);
  if (!fields) return undefined;
  const edits: Edit[] = [];
  let isPrivate = false;
  for (const shape of LISTS) {
    const list = onlyMember(fields, shape.field);
    const entries = list && elementsOf(text, list);
    if (list && !entries && shape.method === rules.method) {
      throw unreadable(`has a field ${shape.field} that is no list`);
    }
    if (!entries) continue;
    const kept = new Set(entries.filter((entry) => keeps(text, entry, shape, rules)));
    edits.push(...withoutRemoved(text, entries, kept));
    isPrivate ||= restricts(rules.rules, shape.rules) || kept.size < entries.length;
  }
  if (isPrivate) edits.push(...privacyEdits(text, fields));
  return edits.length === 0 ? undefined : withEdits(text, edits);
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function readJson(bytes: Buffer): string {
  const excess = findExcess(bytes, EVENT_LIMITS);
  if (excess) throw unreadable(`has more than ${excess.most} ${excess.limit}`);
  try {
    const text = utf8.decode(bytes);
    JSON.parse(text);
    return text;
  } catch {
    throw unreadable('is not JSON');
  }
}

function onlyMember(members: readonly Member[], name: string): Span | undefined {
  const folded = fold(name);
  const [first, second] = members.filter((member) => fold(member.name) === folded);
  if (second) throw unreadable(`has the field ${name} twice`);
  if (first && first.name !== name) throw unreadable(`writes the field ${name} in other case`);
  return first?.value;
}

/** Equal for names that differ in case only, which is how Go's parser compares them. */
function fold(name: string): string {
  return name.toUpperCase().toLowerCase();
}

/** An entry without exactly one name cannot be allowed. */
function keeps(text: string, entry: Span, shape: ListShape, options: DocumentRules): boolean {
  const { admitTool, rules } = options;
  const isChecked = restricts(rules, shape.rules);
  const isAdmitted = shape.field === 'tools' && admitTool !== undefined;
  if (!isChecked && !isAdmitted) return true;
  const name = nameOf(text, entry, shape.name);
  if (name === undefined) return false;
  const isAllowed = shape.isTemplate
    ? allowsTemplate(rules, name)
    : allAllow(rules, shape.rules, name);
  if (!isAllowed || !isAdmitted) return isAllowed;
  return admitTool(name, JSON.parse(text.slice(entry.start, entry.end)));
}

function nameOf(text: string, entry: Span, field: string): string | undefined {
  const named = membersOf(text, entry)?.filter((member) => fold(member.name) === fold(field));
  const [first, second] = named ?? [];
  if (!first || second || first.name !== field) return undefined;
  const name: unknown = JSON.parse(text.slice(first.value.start, first.value.end));
  return typeof name === 'string' ? name : undefined;
}

/** The list from its first entry to its last, each kept entry with the separator before it. */
function withoutRemoved(text: string, entries: readonly Span[], kept: ReadonlySet<Span>): Edit[] {
  const first = entries[0];
  const last = entries.at(-1);
  if (!first || !last || kept.size === entries.length) return [];
  const pieces: string[] = [];
  for (const [index, entry] of entries.entries()) {
    if (!kept.has(entry)) continue;
    const before = entries[index - 1];
    if (before && pieces.length > 0) pieces.push(text.slice(before.end, entry.start));
    pieces.push(text.slice(entry.start, entry.end));
  }
  return [{ start: first.start, end: last.end, text: pieces.join('') }];
}

/** A cache may not give the list of one key to another. */
function privacyEdits(text: string, fields: readonly Member[]): Edit[] {
  const shared = fields.filter(
    ({ name, value }) => name === 'cacheScope' && text.slice(value.start, value.end) !== PRIVATE,
  );
  return shared.map(({ value }) => ({ ...value, text: PRIVATE }));
}

const PRIVATE = '"private"';

function withEdits(text: string, edits: readonly Edit[]): string {
  const pieces: string[] = [];
  let copied = 0;
  for (const edit of edits.toSorted((a, b) => a.start - b.start)) {
    pieces.push(text.slice(copied, edit.start), edit.text);
    copied = edit.end;
  }
  pieces.push(text.slice(copied));
  return pieces.join('');
}

/** Passing on what cannot be read would pass on what the key may not see. */
export function unreadable(problem: string): UpstreamFailure {
  const text = `The MCP server's list cannot be filtered for this API key: the answer ${problem}.`;
  return new UpstreamFailure('INVALID_RESPONSE', gatewayError('upstream_error', text));
}
