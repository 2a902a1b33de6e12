// One message of a client: what it asks for, and the body of the same request over HTTP.

import { gatewayError, type GatewayError } from '@tollgate/contracts';

import type { Gateway } from '../exchange/gateway';
import type { JsonObject } from '../formats';
import { parseBody, type ByteLease, type JsonBody } from '../intake';
import { inputItems, tooLargeError, type PreviousResponse } from './previous-response';

/** A message as it came. */
export interface Message {
  bytes: Buffer;
  binary: boolean;
  lease: ByteLease;
}

export interface Turn {
  /** `processed`: the client has handled a response, which needs no answer. */
  kind: 'create' | 'warm-up' | 'processed';
  /** The body of the request over HTTP. @throws GatewayError `invalid_request`, `overloaded` */
  body: () => JsonBody;
  streamId: string | undefined;
  previousResponseId: string;
  /** The items that the provider gets. */
  items: readonly unknown[];
  /** The last response is remembered here, because no provider stores it. */
  remembered: boolean;
  /** Bytes of the items, as far as they are known. */
  bytes: number;
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
    if (json['type'] === 'response.processed') return { ...refusedTurn(), kind: 'processed' };
    const streamId = streamIdIn(json);
    const refused = (error: unknown): Turn => ({ ...refusedTurn(error), streamId, traceparent });
    if (json['type'] !== 'response.create') return refused(unknownType());
    const { body, ...turn } = readCreate(json, previous, length);
    const tooLarge = tooLargeError(turn.bytes, limits.bodyBytes);
    if (tooLarge) return refused(tooLarge);
    const received = { json: body, bytes: NO_BYTES, offLoop };
    return { ...turn, body: () => received, streamId, traceparent };
  } catch (error) {
    return refusedTurn(error);
  }
}

function refusedTurn(error: unknown = gatewayError('internal_error')): Turn {
  return {
    kind: 'create',
    body: () => {
      throw error;
    },
    streamId: undefined,
    previousResponseId: '',
    items: [],
    remembered: false,
    bytes: 0,
    traceparent: undefined,
  };
}

type Created = Omit<Turn, 'body' | 'streamId' | 'traceparent'> & { body: JsonObject };

/** Fields of the connection, which the HTTP request does not have. */
function readCreate(json: JsonObject, previous: PreviousResponse, length: number): Created {
  const { type: _, stream_id: __, background: ___, generate, ...body } = json;
  const asked = body['previous_response_id'];
  const previousResponseId = typeof asked === 'string' ? asked : '';
  const before = previousResponseId === '' ? undefined : previous.itemsOf(previousResponseId);
  const items = [...(before ?? []), ...inputItems(body['input'])];
  if (before) {
    body['input'] = items;
    delete body['previous_response_id'];
  }
  body['stream'] = true;
  return {
    kind: generate === false ? 'warm-up' : 'create',
    body,
    previousResponseId,
    items,
    // A warm-up is known here only, so is what continues it.
    remembered: body['store'] === false && (previousResponseId === '' || before !== undefined),
    bytes: length + (before ? previous.bytes() : 0),
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
