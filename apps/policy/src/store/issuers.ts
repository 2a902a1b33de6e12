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
  assumedTokens: number;
  /** What earlier attempts of the request cost, decimal; empty: nothing. */
  earlierNanoUsd: string;
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

export interface Kept {
  issuer: Issuer;
  /** It is a conversation, whose tokens are not lowered by a settle that is sent again. */
  grows?: boolean;
  /** Ids of its output items; `outputTokens` bounds what a reference to any of them reads again. */
  items?: readonly string[];
  outputTokens?: number;
}

/** A response of which output items are stored. */
export interface StoredOutput {
  issuer: Issuer;
  outputTokens: number;
}

export async function remember(
  calls: Calls,
  most: number,
  response: ResponseRef,
  { issuer, grows = false, items = [], outputTokens = 0 }: Kept,
): Promise<void> {
  const { providerId, connectionVersion, modelId, owner, pending, readTokens } = issuer;
  const fields = [providerId, String(connectionVersion), modelId];
  if (owner) fields.push(owner.type, owner.id);
  if (owner && pending) {
    const { requestId, holdToken, turn } = pending;
    fields.push(requestId, holdToken.toString('base64url'));
    fields.push(turn.conversationId, String(turn.addedTokens), String(turn.readTokens));
    fields.push(String(turn.assumedTokens), turn.earlierNanoUsd);
  }
  const text = fields.join(' ');
  const reply = await calls.script('remember', keysOf(response), () => [
    digestOf(response.responseId),
    text,
    String(most),
    String(readTokens),
    grows ? '1' : '',
    String(outputTokens),
    ...items.map(digestOf),
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
    digestOf(response.responseId),
    renew ? '1' : '',
  ]);
  if (reply[0] === 'UNKNOWN') return null;
  if (reply[0] !== 'KNOWN') throw new TypeError(`recall answered ${String(reply[0])}`);
  return issuerOf(asText(reply[1]), asNumber(reply[2]));
}

/**
 * The responses that these output items are of, in the order of the items. The same response is one
 * object; null: the item is unknown, or its response has expired.
 */
export async function recallItems(
  calls: Calls,
  organisation: Omit<ResponseRef, 'responseId'>,
  items: readonly string[],
): Promise<(StoredOutput | null)[]> {
  if (items.length === 0) return [];
  const keys = keysOf(organisation);
  const reply = await calls.script('recallItems', keys, () => items.map(digestOf));
  if (reply[0] !== 'ITEMS') throw new TypeError(`recallItems answered ${String(reply[0])}`);
  const count = asNumber(reply[1]);
  const outputs: StoredOutput[] = [];
  for (let at = 2; at < 2 + 2 * count; at += 2) {
    const outputTokens = asNumber(reply[at + 1]);
    outputs.push({ issuer: issuerOf(asText(reply[at]), 0), outputTokens });
  }
  return reply.slice(2 + 2 * count).map((place) => outputs[asNumber(place) - 1] ?? null);
}

function issuerOf(row: string, readTokens: number): Issuer {
  const [providerId, version, modelId, ownerType, ownerId, requestId, holdToken, ...turn] =
    row.split(' ');
  return {
    providerId: asText(providerId),
    connectionVersion: asNumber(version),
    modelId: asText(modelId),
    readTokens,
    ...(ownerType === undefined ? {} : { owner: { type: ownerType, id: asText(ownerId) } }),
    ...(requestId === undefined ? {} : { pending: pendingOf(requestId, asText(holdToken), turn) }),
  };
}

// Rows of earlier releases end sooner.
function pendingOf(requestId: string, holdToken: string, turn: readonly string[]): PendingHold {
  const [conversationId = '', addedTokens = '0', readTokens = '0', ...rest] = turn;
  const [assumedTokens = '0', earlierNanoUsd = ''] = rest;
  return {
    requestId,
    holdToken: Buffer.from(holdToken, 'base64url'),
    turn: {
      conversationId,
      addedTokens: asNumber(addedTokens),
      readTokens: asNumber(readTokens),
      assumedTokens: asNumber(assumedTokens),
      earlierNanoUsd,
    },
  };
}

/** Adds a turn to a conversation. Concurrent turns add up. False: it is unknown, and nothing is added. */
export async function grow(
  calls: Calls,
  conversation: ResponseRef,
  { addedTokens, totalTokens }: Growth,
): Promise<boolean> {
  const reply = await calls.script('grow', keysOf(conversation), () => [
    digestOf(conversation.responseId),
    String(addedTokens),
    String(totalTokens),
  ]);
  const [said] = reply;
  if (said !== 'GROWN' && said !== 'UNKNOWN') throw new TypeError(`grow answered ${String(said)}`);
  return said === 'GROWN';
}

export async function forget(calls: Calls, response: ResponseRef): Promise<void> {
  const { responseId } = response;
  const reply = await calls.script('forget', keysOf(response), () => [digestOf(responseId)]);
  if (reply[0] !== 'FORGOTTEN') throw new TypeError(`forget answered ${String(reply[0])}`);
}

function keysOf({ shard, organisationId }: Omit<ResponseRef, 'responseId'>): [string, string] {
  return [issuersKey(shard, organisationId), issuersByEndKey(shard, organisationId)];
}

function digestOf(id: string): string {
  return createHash('sha256').update(id).digest('base64url').slice(0, DIGEST_CHARS);
}
