// Stored conversations, per key: created, read, changed and deleted, with their items. A response
// appends its input and its output.

import { arrayOf, objectOf, objectsOf, textOf, type JsonObject } from '../../json';
import type { StoredConversation } from '../../memory';
import { invalid, isProblem, type Call, type Problem, type Reply } from '../../reply';
import { answered, listed, pageOf } from './stored';

const ITEMS_AT_ONCE = 20;
const METADATA = { pairs: 16, key: 64, value: 512 };

function notFound(what: string, id: string): Problem {
  return { status: 404, code: null, message: `${what} with id '${id}' not found.` };
}

function keyOf({ apiKey }: Call, id: string): string {
  return `${apiKey} ${id}`;
}

function found(call: Call, id = call.ids['conversation_id'] ?? ''): StoredConversation | Problem {
  return call.memory.conversations.get(keyOf(call, id)) ?? notFound('Conversation', id);
}

function keep(call: Call, conversation: StoredConversation): void {
  const bytes = Buffer.byteLength(JSON.stringify(conversation));
  call.memory.conversations.set(keyOf(call, conversation.id), conversation, bytes);
}

function show({ id, createdAtS, metadata }: StoredConversation): Reply {
  return answered({ id, object: 'conversation', created_at: createdAtS, metadata });
}

export function create(call: Call): Reply | Problem {
  const problem = checkMetadata(call) ?? checkItems(call);
  if (problem !== undefined) return problem;
  const conversation: StoredConversation = {
    id: `conv_${call.id}`,
    createdAtS: call.atS,
    metadata: objectOf(call.body['metadata']) ?? {},
    items: newItems(call),
  };
  keep(call, conversation);
  return show(conversation);
}

export function retrieve(call: Call): Reply | Problem {
  const conversation = found(call);
  return isProblem(conversation) ? conversation : show(conversation);
}

export function update(call: Call): Reply | Problem {
  const conversation = found(call);
  if (isProblem(conversation)) return conversation;
  if (call.body['metadata'] === undefined) return missing('metadata');
  const problem = checkMetadata(call);
  if (problem !== undefined) return problem;
  const changed = { ...conversation, metadata: objectOf(call.body['metadata']) ?? {} };
  keep(call, changed);
  return show(changed);
}

export function remove(call: Call): Reply | Problem {
  const conversation = found(call);
  if (isProblem(conversation)) return conversation;
  call.memory.conversations.delete(keyOf(call, conversation.id));
  return answered({ id: conversation.id, object: 'conversation.deleted', deleted: true });
}

export function listItems(call: Call): Reply | Problem {
  const conversation = found(call);
  return isProblem(conversation) ? conversation : pageOf(conversation.items, call.query);
}

export function createItems(call: Call): Reply | Problem {
  const conversation = found(call);
  if (isProblem(conversation)) return conversation;
  if (arrayOf(call.body['items']).length === 0) return missing('items');
  const problem = checkItems(call);
  if (problem !== undefined) return problem;
  const added = newItems(call);
  keep(call, { ...conversation, items: [...conversation.items, ...added] });
  return pageOf(added, new URLSearchParams({ order: 'asc' }));
}

export function retrieveItem(call: Call): Reply | Problem {
  const conversation = found(call);
  if (isProblem(conversation)) return conversation;
  const id = call.ids['item_id'] ?? '';
  const item = conversation.items.find((one) => one['id'] === id);
  return item === undefined ? notFound('Item', id) : answered(item);
}

export function removeItem(call: Call): Reply | Problem {
  const conversation = found(call);
  if (isProblem(conversation)) return conversation;
  const id = call.ids['item_id'] ?? '';
  const items = conversation.items.filter((one) => one['id'] !== id);
  if (items.length === conversation.items.length) return notFound('Item', id);
  keep(call, { ...conversation, items });
  return show(conversation);
}

/** The conversation of a response request, if there is one. */
export function conversationAsked(call: Call): StoredConversation | Problem | undefined {
  const id = conversationIdIn(call.body);
  return id === undefined ? undefined : found(call, id);
}

export function conversationIdIn({ conversation }: JsonObject): string | undefined {
  if (conversation === undefined || conversation === null) return undefined;
  return textOf(objectOf(conversation)?.['id'] ?? conversation);
}

/** Appends input and output, unless the conversation has been deleted. */
export function addTurn(call: Call, input: JsonObject[], output: JsonObject[]): void {
  const conversation = conversationAsked(call);
  if (conversation === undefined || isProblem(conversation)) return;
  const asked = input.map((item, at) => listed(item, `${call.id}_${at}`));
  keep(call, { ...conversation, items: [...conversation.items, ...asked, ...output] });
}

function newItems({ body, id }: Call): JsonObject[] {
  return objectsOf(body['items']).map((item, at) => listed(item, `${id}_${at}`));
}

function missing(param: string): Problem {
  const message = `Missing required parameter: '${param}'.`;
  return invalid(message, param, 'missing_required_parameter');
}

function checkItems({ body }: Call): Problem | undefined {
  if (arrayOf(body['items']).length <= ITEMS_AT_ONCE) return undefined;
  return invalid(`Invalid 'items': at most ${ITEMS_AT_ONCE} can be added at a time.`, 'items');
}

function checkMetadata({ body }: Call): Problem | undefined {
  const pairs = Object.entries(objectOf(body['metadata']) ?? {});
  const fits = ([key, value]: [string, unknown]): boolean =>
    typeof value === 'string' && key.length <= METADATA.key && value.length <= METADATA.value;
  if (pairs.length <= METADATA.pairs && pairs.every(fits)) return undefined;
  return invalid("Invalid 'metadata': at most 16 pairs of short texts.", 'metadata');
}
