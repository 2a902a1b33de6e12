// Operations on responses and conversations that a provider stores: read, changed, deleted or
// cancelled by id, without a model. The request goes to the connection that created the object, and
// the answer is relayed.

import { emptyUsage, gatewayError } from '@tollgate/contracts';

import { FORMATS, type JsonObject } from '../formats';
import { isObject, textOf } from '../formats/json';
import { renameModel } from '../formats/model-name';
import type { Payload } from '../upstream/payload';
import { notAnAnswer, objectIn } from './answer';
import { estimateItems } from './fields';
import type { Job, Target } from './job';
import { isReference, namedItems } from './named-items';
import { createPassage } from './passage';

/** The ids in the path, keyed by parameter name, and the client's query. */
export interface StoredInlet {
  ids: Readonly<Record<string, string>>;
  query: string;
  /**
   * The model whose provider stores the new object; empty: the key's models decide, or the object
   * exists.
   */
  model: string;
  /** Only for operations that take a body. */
  body?: { json: JsonObject; bytes: Buffer };
}

interface StoredRow {
  /**
   * The path parameter that determines the owner. Absent: the object is created, and its id is in
   * the answer.
   */
  owner?: string;
  /** The query may ask for an event stream. */
  streams?: true;
}

const STORED = {
  response_retrieve: { owner: 'response_id', streams: true },
  response_delete: { owner: 'response_id' },
  response_cancel: { owner: 'response_id' },
  response_input_items: { owner: 'response_id' },
  conversation_create: {},
  conversation_retrieve: { owner: 'conversation_id' },
  conversation_update: { owner: 'conversation_id' },
  conversation_delete: { owner: 'conversation_id' },
  conversation_items: { owner: 'conversation_id' },
  conversation_items_create: { owner: 'conversation_id' },
  conversation_item_retrieve: { owner: 'conversation_id' },
  conversation_item_delete: { owner: 'conversation_id' },
} as const satisfies Record<string, StoredRow>;

export type StoredOperation = keyof typeof STORED;

export function isStored(operation: string): operation is StoredOperation {
  return Object.hasOwn(STORED, operation);
}

const ID = /^[A-Za-z0-9_-]{1,256}$/;
const QUERY_CHARACTERS = 4_096;
const JSON_TYPE = 'application/json';
const EVENTS_TYPE = 'text/event-stream';
const FREE = { usage: emptyUsage(), free: true } as const;

/** @throws GatewayError `invalid_request`, naming the id or the query */
export function storedJob(operation: StoredOperation, inlet: StoredInlet): Job {
  const { owner, streams }: StoredRow = STORED[operation];
  const { body, ids, model, query } = inlet;
  checkIds(ids);
  if (body) checkItems(body.json);
  const asked = queryOf(query);
  const stream = streams === true && asked.get('stream') === 'true';
  const place: Payload['place'] = { ids, query: asked.toString() };
  const storedId = (owner && ids[owner]) ?? '';
  return {
    model,
    provider: undefined,
    stream,
    growing: false,
    choices: 1,
    maxOutputTokens: 0,
    inputTokensEstimate: 0,
    audioInputTokensEstimate: 0,
    textOutput: true,
    unitsEstimate: {},
    previousResponseId: '',
    storedId,
    // The provider reads the items with the next turn, so they cost nothing now.
    addedTokens: body ? estimateItems(body.json['items']) : 0,
    ...(operation === 'conversation_items_create' ? { addsTo: storedId } : {}),
    ...(body ? namedItems(body.json['items'], 'items') : {}),
    free: true,
    adapter: (target) => {
      const format = FORMATS[target.endpoint.format];
      return {
        encode: () => ({
          body: body?.bytes ?? '',
          contentType: body ? JSON_TYPE : '',
          accept: stream ? EVENTS_TYPE : JSON_TYPE,
          dropped: [],
          place,
        }),
        follow: () =>
          stream ? createPassage(format, format, replyContext(target), ONE) : undefined,
        countsOnly: false,
        read: (answer) => {
          const stored = objectIn(answer);
          return {
            body: renameModel(format.name, answer.bytes, target.context.model),
            contentType: JSON_TYPE,
            report: { ...FREE, responseId: storedId || idOf(stored), stored },
          };
        },
        refused: (status, headers, body) => {
          const error = format.decodeError(status, headers, body);
          if (status !== 404 || storedId === '') return error;
          return gatewayError('stored_object_not_found', error.message);
        },
      };
    },
  };
}

const ONE = { choices: 1, runningUsage: false };

function replyContext({ context }: Target) {
  return { ...context, includeUsage: true };
}

function idOf(made: JsonObject): string {
  const id = textOf(made['id']) ?? '';
  if (id === '') throw notAnAnswer('it has no id');
  return id;
}

// The provider resolves a referenced item by its id alone, so it could belong to another team's
// conversation.
function checkItems({ items }: JsonObject): void {
  if (!Array.isArray(items)) return;
  const at = items.findIndex((item) => isObject(item) && isReference(item));
  if (at < 0) return;
  const param = `items[${at}]`;
  const text = `${param}: references to items cannot be added to a conversation. Send the item itself.`;
  throw gatewayError('unsupported_parameter', text, { param });
}

/**
 * The id of the conversation that a request belongs to, given as an id or as an object with one;
 * empty: none.
 * @throws GatewayError `invalid_request`
 */
export function conversationIdOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  const id = isObject(value) ? value['id'] : value;
  if (typeof id === 'string' && ID.test(id)) return id;
  const message =
    'conversation: must be the id of a conversation, or an object with its id: 1 to 256 letters, numbers, underscores or dashes.';
  throw gatewayError('invalid_request', message, { param: 'conversation' });
}

function checkIds(ids: StoredInlet['ids']): void {
  for (const [param, id] of Object.entries(ids)) {
    if (ID.test(id)) continue;
    const message = `${param}: must be 1 to 256 letters, numbers, underscores or dashes.`;
    throw gatewayError('invalid_request', message, { param });
  }
}

// The provider checks the parameters. The API version is the gateway's own setting.
function queryOf(query: string): URLSearchParams {
  if (query.length > QUERY_CHARACTERS) {
    const message = `The query must have at most ${QUERY_CHARACTERS} characters.`;
    throw gatewayError('invalid_request', message, { param: 'query' });
  }
  const asked = new URLSearchParams(query);
  asked.delete('api-version');
  return asked;
}
