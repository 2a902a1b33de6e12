// The stored items that an input names. A provider resolves an item by its id alone, in the account
// that all keys of an organisation share, so policy must check who owns it.

import { gatewayError } from '@tollgate/contracts';

import type { JsonObject } from '../formats';
import { isObject, textOf } from '../formats/json';

export interface NamedItems {
  /** Items that the input only refers to. */
  itemIds?: readonly string[];
  /** Items that are sent again with content that only the provider may complete by the id. */
  replayedItemIds?: readonly string[];
}

/** Of each kind. Policy accepts no more. */
const MOST_IDS = 1_024;
const ID_CHARACTERS = 256;

/** Items whose content is always in the request, whatever their id is. */
const WHOLE: ReadonlySet<unknown> = new Set([
  'message',
  'function_call',
  'custom_tool_call',
  'function_call_output',
  'custom_tool_call_output',
]);

/**
 * Empty: the input is text, or names none.
 * @throws GatewayError `invalid_request`, naming the item or the input
 */
export function namedItems(input: unknown, field = 'input'): NamedItems {
  if (!Array.isArray(input)) return {};
  let referred: Set<string> | undefined;
  let replayed: Set<string> | undefined;
  for (const [at, item] of (input as readonly unknown[]).entries()) {
    if (!isObject(item)) continue;
    if (isReference(item)) (referred ??= new Set()).add(idOf(item, `${field}[${at}]`));
    else if (isReplayed(item)) (replayed ??= new Set()).add(idOf(item, `${field}[${at}]`));
  }
  return {
    ...(referred ? { itemIds: listOf(referred, field) } : {}),
    ...(replayed ? { replayedItemIds: listOf(replayed, field) } : {}),
  };
}

/** An item with neither type nor role is a reference. */
export function isReference(item: JsonObject): boolean {
  const { type = null, role = null } = item;
  return type === 'item_reference' || (type === null && role === null);
}

function isReplayed(item: JsonObject): boolean {
  const { type, id, content, encrypted_content: sealed } = item;
  if (typeof type !== 'string' || WHOLE.has(type) || !textOf(id)) return false;
  return type !== 'reasoning' || !(sealed || (Array.isArray(content) && content.length > 0));
}

function idOf(item: JsonObject, path: string): string {
  const id = textOf(item['id']) ?? '';
  if (id !== '' && id.length <= ID_CHARACTERS) return id;
  const param = `${path}.id`;
  const message = `${param}: must be the id of a stored item, of at most ${ID_CHARACTERS} characters.`;
  throw gatewayError('invalid_request', message, { param });
}

function listOf(ids: ReadonlySet<string>, param: string): string[] {
  if (ids.size <= MOST_IDS) return [...ids];
  const message = `${param}: names more than ${MOST_IDS} stored items by their ids. Send fewer, or use previous_response_id.`;
  throw gatewayError('invalid_request', message, { param });
}
