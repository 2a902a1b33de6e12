// Cache marks (`cache_control`) ask a provider to cache a conversation up to the marked block.
// Clients of the chat format put them on messages, parts and tools. A mark travels with its block.
// It is also an extra, so that a format without cache marks reports it as dropped.

import type { DropList } from './drop-list';
import { arrayOf, isObject, objectOf } from './json';
import type { ContentBlock, JsonObject, NormalisedMessage } from './normalised';

const FIELD = 'cache_control';

/** The mark on an object of the client's payload. */
export function cacheMarkOf(wire: unknown): { cacheControl?: JsonObject } {
  const mark = objectOf(objectOf(wire)?.[FIELD]);
  return mark === undefined ? {} : { cacheControl: mark };
}

/** A mark on a whole message moves to the last block that can carry one. */
export function markMessage(message: NormalisedMessage, wire: unknown): NormalisedMessage {
  const mark = cacheMarkOf(wire);
  const at = message.content.findLastIndex(({ type }) => type !== 'thinking');
  if (mark.cacheControl === undefined || at === -1) return message;
  const content = message.content.map((block, index): ContentBlock =>
    index === at ? { ...block, ...mark } : block,
  );
  return { ...message, content };
}

/** A mark in an upstream's payload. */
export function writeCacheMark({ cacheControl }: { cacheControl?: JsonObject }): JsonObject {
  return cacheControl === undefined ? {} : { [FIELD]: cacheControl };
}

export function isCacheMark(path: string): boolean {
  return path === FIELD || path.endsWith(`.${FIELD}`);
}

/** The vendor's limit of marks per request; a mark on the request itself counts as one. */
const MOST_MARKS = 4;

/**
 * Limits the marks of a messages request to what the vendor takes. The first mark stays, because
 * the text before it changes least, and then the last ones. Dropped marks are reported.
 */
export function settleCacheMarks(body: JsonObject, extras: JsonObject, drops: DropList): void {
  const whole = objectOf(extras[FIELD]);
  if (whole?.['type'] === 'ephemeral') body[FIELD] = whole;
  const marked = markedBlocks(body);
  const room = MOST_MARKS - (body[FIELD] === undefined ? 0 : 1);
  const surplus = marked.length - room;
  const kept = new Set<unknown>([body[FIELD]]);
  for (const [at, block] of marked.entries()) {
    if (at > 0 && at <= surplus) delete block[FIELD];
    else kept.add(block[FIELD]);
  }
  // The extra and the block's mark are the same object.
  for (const [path, mark] of Object.entries(extras)) {
    if (isCacheMark(path) && !kept.has(mark)) drops.drop(path);
  }
}

/** In prompt order: tools, system, messages, and the parts of a tool result before the result. */
function markedBlocks({ tools, system, messages }: JsonObject): JsonObject[] {
  const said = arrayOf(messages).flatMap((message) => arrayOf(objectOf(message)?.['content']));
  const blocks = said.flatMap((block) => [...arrayOf(objectOf(block)?.['content']), block]);
  return [...arrayOf(tools), ...arrayOf(system), ...blocks].filter(isObject).filter((block) => {
    if (block[FIELD] === undefined) return false;
    if (objectOf(block[FIELD])?.['type'] === 'ephemeral') return true;
    delete block[FIELD];
    return false;
  });
}

/** A chat request for a vendor that refuses cache marks; the same object if it has none. */
export function withoutCacheMarks(
  body: JsonObject,
  extras: JsonObject,
  drops: DropList,
): JsonObject {
  const marks = Object.keys(extras).filter(isCacheMark);
  if (marks.length === 0) return body;
  for (const path of marks) drops.drop(path);
  const bare = unmarked(body);
  if (Array.isArray(body['messages'])) {
    bare['messages'] = body['messages'].map((message: unknown) =>
      unmarkedWithin(message, 'content'),
    );
  }
  if (Array.isArray(body['tools'])) {
    bare['tools'] = body['tools'].map((tool: unknown) => unmarkedWithin(tool, 'function'));
  }
  return bare;
}

function unmarkedWithin(value: unknown, field: string): unknown {
  if (!isObject(value)) return value;
  const bare = unmarked(value);
  const inner = bare[field];
  if (Array.isArray(inner))
    bare[field] = inner.map((one: unknown) => (isObject(one) ? unmarked(one) : one));
  else if (isObject(inner)) bare[field] = unmarked(inner);
  return bare;
}

function unmarked(marked: JsonObject): JsonObject {
  const { [FIELD]: _mark, ...rest } = marked;
  return rest;
}
