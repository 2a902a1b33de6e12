// One message of a client: what it asks for, and the body of the same request over HTTP.

import { gatewayError, type GatewayError } from '@tollgate/contracts';

import type { Gateway } from '../exchange/gateway';
import type { JsonObject } from '../formats';
import { objectOf } from '../formats/json';
import { bodyTooLarge, parseBody, type ByteLease, type JsonBody } from '../intake';
import { inputItems, tooLargeError, type PreviousResponse } from './previous-response';

/** A message as it came. */
export interface Message {
  bytes: Buffer;
  binary: boolean;
  lease: ByteLease;
}

export interface Turn {
  /** A warm-up is answered here; no provider is asked. */
  kind: 'create' | 'warm-up';
  /** The body of the request over HTTP. @throws GatewayError `invalid_request`, `overloaded` */
  body: () => JsonBody;
  streamId: string | undefined;
  previousResponseId: string;
  /** It continues a response that this connection does not remember. */
  continuesElsewhere: boolean;
  /** The items that the provider gets, if this connection remembers the response. Undefined: a provider stores it. */
  items: readonly unknown[] | undefined;
  /** The trace that this message belongs to; undefined: that of the connection. */
  traceparent: string | undefined;
}

const STREAM_ID_CHARACTERS = 256;
const NO_BYTES = Buffer.alloc(0);

/** Reads a message. Whatever is wrong with it is thrown by `body`, where the request is refused. */
export async function readTurn(
  { json: parser, limits }: Pick<Gateway, 'json' | 'limits'>,
  previous: PreviousResponse,
  message: Message,
): Promise<Turn> {
  const length = message.bytes.length;
  try {
    if (message.binary) throw invalid('The message must be JSON in a text frame.');
    const parsing = parseBody(parser, message.bytes, {
      maxDepth: limits.bodyDepth,
      dropBytes: true,
    });
    const { json, offLoop } = parsing instanceof Promise ? await parsing : parsing;
    const traceparent = traceparentIn(json);
    const streamId = streamIdIn(json);
    const refused = (error: unknown): Turn => ({ ...refusedTurn(error), streamId, traceparent });
    if (json['type'] !== 'response.create') return refused(unknownType());
    const { body, before, ...turn } = readCreate(json, previous);
    const tooLarge = before
      ? tooLargeError(length + previous.bytes(), limits.bodyBytes)
      : length > limits.bodyBytes && bodyTooLarge(limits.bodyBytes);
    if (tooLarge) return refused(tooLarge);
    const received = { json: body, bytes: NO_BYTES, offLoop };
    return { ...turn, body: () => received, streamId, traceparent };
  } catch (error) {
    return refusedTurn(error);
  }
}

function refusedTurn(error: unknown): Turn {
  return {
    kind: 'create',
    body: () => {
      throw error;
    },
    streamId: undefined,
    previousResponseId: '',
    continuesElsewhere: false,
    items: undefined,
    traceparent: undefined,
  };
}

/** Fields that the request over HTTP does not have. */
const OF_MESSAGE = ['type', 'stream_id', 'background', 'generate'] as const;

type Created = Omit<Turn, 'body' | 'streamId' | 'traceparent'> & {
  body: JsonObject;
  /** The items of the remembered response that it continues. */
  before: readonly unknown[] | undefined;
};

function readCreate(json: JsonObject, previous: PreviousResponse): Created {
  const body: Record<string, unknown> = { ...json, stream: true };
  for (const field of OF_MESSAGE) delete body[field];
  const asked = body['previous_response_id'];
  const previousResponseId = typeof asked === 'string' ? asked : '';
  const before = previousResponseId === '' ? undefined : previous.itemsOf(previousResponseId);
  const own = inputItems(body['input']);
  const items = own && [...(before ?? []), ...own];
  if (before) {
    // An input that is no list stays as it is, and is refused as over HTTP.
    if (items) body['input'] = items;
    delete body['previous_response_id'];
  }
  const continuesElsewhere = previousResponseId !== '' && before === undefined;
  const kind = json['generate'] === false ? 'warm-up' : 'create';
  // Only this connection knows a warm-up, so it also remembers the responses that continue it.
  const keeps = (kind === 'warm-up' || body['store'] === false) && !continuesElsewhere;
  return {
    kind,
    body,
    before,
    previousResponseId,
    continuesElsewhere,
    items: keeps ? items : undefined,
  };
}

function streamIdIn(json: JsonObject): string | undefined {
  const id = json['stream_id'];
  if (id === undefined || id === null) return undefined;
  if (typeof id === 'string' && id.length <= STREAM_ID_CHARACTERS) return id;
  throw invalid(
    `stream_id: must be a text of at most ${STREAM_ID_CHARACTERS} characters`,
    'stream_id',
  );
}

/** Codex names the trace of each message here, because a message has no headers. */
function traceparentIn(json: JsonObject): string | undefined {
  const metadata = json['client_metadata'];
  if (typeof metadata !== 'object' || metadata === null) return undefined;
  const value = (metadata as JsonObject)['ws_request_header_traceparent'];
  return typeof value === 'string' ? value : undefined;
}

function unknownType(): GatewayError {
  return invalid('type: must be "response.create"', 'type');
}

function invalid(text: string, param?: string): GatewayError {
  return gatewayError('invalid_request', text, param === undefined ? {} : { param });
}

/** The longest `response.processed`; clients say so when they have handled a response. */
const PROCESSED_BYTES = 1_024;
const PROCESSED = 'response.processed';

/** Whether a message only says that a response was handled, which needs no answer. */
export function isProcessed(bytes: Buffer): boolean {
  if (bytes.length > PROCESSED_BYTES || !bytes.includes(PROCESSED)) return false;
  try {
    return objectOf(JSON.parse(bytes.toString()))?.['type'] === PROCESSED;
  } catch {
    // It is refused as any other message that is no JSON.
    return false;
  }
}
