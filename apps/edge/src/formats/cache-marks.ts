// Marks that ask a provider to keep a conversation up to where they stand (`cache_control`), as clients of
// the chat format write them: on messages, on parts of them, on tools. A mark travels with its block, and
// stands among the extras as well, where every format without such an idea finds it to name it as dropped.

import type { DropList } from './drop-list';
import { arrayOf, isObject, objectOf } from './json';
import type { ContentBlock, JsonObject, NormalisedMessage } from './normalised';

const FIELD = 'cache_control';

/** The mark on what a client wrote. */
export function cacheMarkOf(wire: unknown): { cacheControl?: JsonObject } {
  const mark = objectOf(objectOf(wire)?.[FIELD]);
  return mark === undefined ? {} : { cacheControl: mark };
}

/** A mark on a whole message stands behind its last block that can bear one. */
export function markMessage(message: NormalisedMessage, wire: unknown): NormalisedMessage {
  const mark = cacheMarkOf(wire);
  const at = message.content.findLastIndex(({ type }) => type !== 'thinking');
  if (mark.cacheControl === undefined || at === -1) return message;
  const content = message.content.map((block, index): ContentBlock =>
    index === at ? { ...block, ...mark } : block,
  );
  return { ...message, content };
}

/** A mark as it stands at an upstream. */
export function writeCacheMark({ cacheControl }: { cacheControl?: JsonObject }): JsonObject {
  return cacheControl === undefined ? {} : { [FIELD]: cacheControl };
}

export function isCacheMark(path: string): boolean {
  return path === FIELD || path.endsWith(`.${FIELD}`);
}

/** The most marks that the vendor takes; one for the request as a whole counts as one of them. */
const MOST_MARKS = 4;

/**
 * Sees to it that a messages request bears no more marks than the vendor takes. The first is kept, since
 * what comes before it changes least, and of the others the last. What is not kept is named.
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
  // The extra is the very object that went with the block.
  for (const [path, mark] of Object.entries(extras)) {
    if (isCacheMark(path) && !kept.has(mark)) drops.drop(path);
  }
}

/** In the order of the prompt: tools, system, messages, and the parts of results before them. */
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

/** A chat request for a vendor who refuses such marks. The same request where there is none. */
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
