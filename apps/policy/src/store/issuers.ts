import { createHash } from 'node:crypto';

import type { Calls } from './calls';
import { issuersByEndKey, issuersKey } from './keys';
import { asNumber, asText } from './replies';

/** The owner of a stored response or conversation. */
export interface Owner {
  type: string;
  id: string;
}

/** A request whose usage is not booked yet: its provider is still generating the response. */
export interface PendingHold {
  requestId: string;
  holdToken: Buffer;
  turn: PendingTurn;
}

/** What the settle of a pending request says of what is stored: the fields of SettleRequest. */
export interface PendingTurn {
  /** Empty: none. */
  conversationId: string;
  addedTokens: number;
  readTokens: number;
}

/** Which upstream connection made a response or a conversation, and its owner. */
export interface Issuer {
  providerId: string;
  connectionVersion: number;
  modelId: string;
  /** Undefined in rows of releases that did not store it. */
  owner?: Owner | undefined;
  pending?: PendingHold | undefined;
  /** Tokens that the provider reads again for a follow-up; 0: unknown. */
  readTokens: number;
}

/**
 * `addedTokens`: a turn's own input and output; negative where the provider read less than was assumed.
 * `totalTokens`: all that the provider read and wrote, the least that the conversation comes to.
 */
export interface Growth {
  addedTokens: number;
  totalTokens: number;
}

export interface ResponseRef {
  shard: number;
  organisationId: string;
  responseId: string;
}

// Response ids come from upstreams and from clients; a digest has a fixed length.
const DIGEST_CHARS = 22;

/** `grows`: it is a conversation, whose tokens are not lowered by a settle that is sent again. */
export async function remember(
  calls: Calls,
  most: number,
  response: ResponseRef,
  issuer: Issuer,
  grows: boolean,
): Promise<void> {
  const { providerId, connectionVersion, modelId, owner, pending, readTokens } = issuer;
  const fields = [providerId, String(connectionVersion), modelId];
  if (owner) fields.push(owner.type, owner.id);
  if (owner && pending) {
    const { requestId, holdToken, turn } = pending;
    fields.push(requestId, holdToken.toString('base64url'));
    fields.push(turn.conversationId, String(turn.addedTokens), String(turn.readTokens));
  }
  const text = fields.join(' ');
  const reply = await calls.script('remember', keysOf(response), () => [
    digestOf(response),
    text,
    String(most),
    String(readTokens),
    grows ? '1' : '',
  ]);
  if (reply[0] !== 'REMEMBERED') throw new TypeError(`remember answered ${String(reply[0])}`);
}

/** `renew`: the row's 30 days start again. */
export async function recall(
  calls: Calls,
  response: ResponseRef,
  renew: boolean,
): Promise<Issuer | null> {
  const reply = await calls.script('recall', keysOf(response), () => [
    digestOf(response),
    renew ? '1' : '',
  ]);
  if (reply[0] === 'UNKNOWN') return null;
  if (reply[0] !== 'KNOWN') throw new TypeError(`recall answered ${String(reply[0])}`);
  const [providerId, version, modelId, ownerType, ownerId, requestId, holdToken, ...turn] = asText(
    reply[1],
  ).split(' ');
  return {
    providerId: asText(providerId),
    connectionVersion: asNumber(version),
    modelId: asText(modelId),
    readTokens: asNumber(reply[2]),
    ...(ownerType === undefined ? {} : { owner: { type: ownerType, id: asText(ownerId) } }),
    ...(requestId === undefined ? {} : { pending: pendingOf(requestId, asText(holdToken), turn) }),
  };
}

// Rows of earlier releases end with the hold token.
function pendingOf(requestId: string, holdToken: string, turn: readonly string[]): PendingHold {
  const [conversationId = '', addedTokens = '0', readTokens = '0'] = turn;
  return {
    requestId,
    holdToken: Buffer.from(holdToken, 'base64url'),
    turn: {
      conversationId,
      addedTokens: asNumber(addedTokens),
      readTokens: asNumber(readTokens),
    },
  };
}

/** Adds a turn to a conversation. Concurrent turns add up. A no-op for an unknown conversation. */
export async function grow(
  calls: Calls,
  conversation: ResponseRef,
  { addedTokens, totalTokens }: Growth,
): Promise<void> {
  const reply = await calls.script('grow', keysOf(conversation), () => [
    digestOf(conversation),
    String(addedTokens),
    String(totalTokens),
  ]);
  if (reply[0] !== 'GROWN') throw new TypeError(`grow answered ${String(reply[0])}`);
}

export async function forget(calls: Calls, response: ResponseRef): Promise<void> {
  const reply = await calls.script('forget', keysOf(response), () => [digestOf(response)]);
  if (reply[0] !== 'FORGOTTEN') throw new TypeError(`forget answered ${String(reply[0])}`);
}

function keysOf({ shard, organisationId }: ResponseRef): [string, string] {
  return [issuersKey(shard, organisationId), issuersByEndKey(shard, organisationId)];
}

function digestOf({ responseId }: ResponseRef): string {
  return createHash('sha256').update(responseId).digest('base64url').slice(0, DIGEST_CHARS);
}
