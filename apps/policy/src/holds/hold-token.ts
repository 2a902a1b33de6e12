import {
  createHash,
  createHmac,
  createSecretKey,
  timingSafeEqual,
  type KeyObject,
} from 'node:crypto';
import { createBoundedCache } from '@tollgate/kit';

import { invalidArgument } from '../failure';
import { decodeTicket, type Ticket } from './ticket';

/** The content of a hold token: the ticket and what only the store's script knew. */
export interface HeldTicket {
  readonly ticket: Ticket;
  /** The ticket as the store keeps it. */
  readonly text: string;
  readonly authorisedAtMs: number;
  readonly leaseUntilMs: number;
  /** The float that the hold is part of; empty: the store has the hold. */
  readonly floatId: string;
}

export interface HoldTokens {
  readonly write: (requestId: string, held: HeldTicket) => Buffer;
  /** Throws INVALID_ARGUMENT for a foreign token, or another request's. */
  readonly read: (requestId: string, token: Buffer) => HeldTicket;
  /** The request is over: its token is not expected again. */
  readonly forget: (requestId: string) => void;
}

// A hold token is `mac ‖ "<authorised at>.<lease until>.<ticket>"`, with the id of a float and another
// dot before the ticket if the hold is of one. The MAC covers the request id
// too, so that a hold can settle only its own request and tokens cannot be forged.
const MAC_BYTES = 16;

// Most holds are settled by the policy that took them, moments later. A token that this process
// wrote is recognised by its bytes and need not be verified and parsed.
const RECENT_MAX = 4_096;

/** The first secret signs, all of them verify, so that a secret can be replaced while running. */
export function createHoldTokens(secrets: readonly [string, ...string[]]): HoldTokens {
  const keys = secrets.map((secret) =>
    createSecretKey(createHash('sha256').update(secret).digest()),
  );
  const [signing] = keys;
  if (signing === undefined) throw new RangeError('hold tokens need a secret');
  const recent = createBoundedCache<string, { token: Buffer; held: HeldTicket }>({
    max: RECENT_MAX,
  });

  const write: HoldTokens['write'] = (requestId, held) => {
    const { authorisedAtMs, floatId, leaseUntilMs, text } = held;
    const float = floatId === '' ? '' : `${floatId}.`;
    const body = `${String(authorisedAtMs)}.${String(leaseUntilMs)}.${float}${text}`;
    const token = Buffer.concat([macOf(signing, requestId, body), Buffer.from(body)]);
    recent.set(requestId, { token, held });
    return token;
  };

  const read: HoldTokens['read'] = (requestId, token) => {
    const known = recent.peek(requestId);
    if (known !== undefined && known.token.equals(token)) return known.held;
    const mac = token.subarray(0, MAC_BYTES);
    const body = token.toString('utf8', MAC_BYTES);
    const ours =
      mac.length === MAC_BYTES &&
      keys.some((key) => timingSafeEqual(mac, macOf(key, requestId, body)));
    if (!ours) throw invalidArgument('hold_token: not the token of this request');
    return parse(body);
  };

  return { write, read, forget: (requestId) => void recent.delete(requestId) };
}

function parse(body: string): HeldTicket {
  const match = /^(\d{1,16})\.(\d{1,16})\.(?:([\w-]{1,64}\.\d{1,16})\.)?/.exec(body);
  if (match === null) throw invalidArgument('hold_token: not a hold token');
  const text = body.slice(match[0].length);
  try {
    const ticket = decodeTicket(text);
    const [, authorisedAt, leaseUntil, floatId = ''] = match;
    const [authorisedAtMs, leaseUntilMs] = [Number(authorisedAt), Number(leaseUntil)];
    return { ticket, text, authorisedAtMs, leaseUntilMs, floatId };
  } catch (error) {
    if (error instanceof RangeError) throw invalidArgument(`hold_token: ${error.message}`);
    throw error;
  }
}

function macOf(key: KeyObject, requestId: string, body: string): Buffer {
  return createHmac('sha256', key)
    .update(requestId)
    .update('\n')
    .update(body)
    .digest()
    .subarray(0, MAC_BYTES);
}
