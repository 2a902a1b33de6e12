// What the edge knows of a hold, and what the answers to its extensions change.
import { LEASE_MAX_MS } from '@tollgate/contracts';
import type { Allow__Output, ExtendRequest } from '@tollgate/contracts/node';

import type { ExtendOutcome, PendingResponse } from './hold';
import type { Answer, ItemSession } from './item';

/** A hold of a running request, as the edge knows it. */
export interface HoldEntry {
  requestId: string;
  shard: number;
  modelId: string;
  token: Buffer;
  /** As policy told it with the hold; 0: it did not. */
  leaseMs: number;
  renewAtMs: number;
  ended: boolean;
  /** Policy no longer has the hold because its lease expired, so it is not renewed. */
  gone: boolean;
  /** The store does not have the hold; the next extension takes it again. */
  lost: boolean;
  /** The float that the hold is part of; empty: the store has the hold. */
  floatId: string;
  /** Undefined: any session takes the hold's items. */
  session: ItemSession | undefined;
  response: PendingResponse | undefined;
  /** Policy knows the response. */
  responseKnown: boolean;
  /** The number of the last extension that was sent. */
  lastSent: number;
  lastGranted: number;
  /** The last extension that was sent before the news of a loss of data. */
  lastBeforeLoss: number;
  /** The epoch that the last such news told of; 0: none. */
  epoch: number;
  /** The session that last told that the store has the hold. */
  takenBy: ItemSession | undefined;
  chain: Promise<void> | undefined;
}

/** Another policy must take it over: the one that decided it is away, cannot report it any more, or had no room for its item. */
export function isAdrift({ ended, floatId, gone, lost }: HoldEntry): boolean {
  return lost && floatId !== '' && !ended && !gone;
}

/** An extension under way. */
export interface SentExtension {
  /** Its number among those of the hold. */
  readonly number: number;
  /** What it tells policy. */
  response: PendingResponse | undefined;
}

export const UNKNOWN: ExtendOutcome = { granted: false, refused: false };

export type Lease = Pick<Allow__Output, 'leaseMs' | 'leaseUntilMs'>;

export function tellResponse(
  message: ExtendRequest,
  sent: SentExtension,
  response: PendingResponse,
): void {
  Object.assign(message, response);
  sent.response = response;
}

/** What the answer to an extension changes; `renewal`: when a hold with such a lease is renewed. */
export function takeAnswer(
  entry: HoldEntry,
  sent: SentExtension,
  answer: Answer,
  renewal: (lease: Lease) => number,
): ExtendOutcome {
  const reply = answer.ok ? answer.result.extend : undefined;
  if (!answer.ok || !reply) return UNKNOWN;
  // From before a loss of data: what it says of the store may no longer be true.
  const isStale = sent.number <= entry.lastBeforeLoss;
  // A late answer: a later extension has replaced its token.
  if (sent.number < entry.lastGranted) return UNKNOWN;
  if (reply.granted) {
    entry.lastGranted = sent.number;
    if (reply.holdToken.length > 0) entry.token = reply.holdToken;
    if (isStale) return { granted: true };
    entry.renewAtMs = renewal({ ...entry, leaseUntilMs: reply.leaseUntilMs });
    if (reply.floatId === '') storeHasIt(entry, answer.session);
    if (sent.response !== undefined) entry.responseKnown ||= sent.response === entry.response;
    return { granted: true };
  }
  if (!isStale) entry.gone = reply.gone;
  return { granted: false, refused: !reply.gone };
}

// A hold leaves its float once and for all: a memory's answer that comes late must not bring it back.
function storeHasIt(entry: HoldEntry, session: ItemSession): void {
  entry.takenBy = session;
  entry.floatId = '';
  entry.session = undefined;
  entry.lost = false;
}

/** Where policy does not say how long a lease is, its end is bounded: clocks of two machines differ. */
const GUESSED_LEASE_MIN_MS = 3_000;

// A policy of the release before tells only when the lease ends, by its own clock.
export function guessedLeaseMs(leftMs: number): number {
  return Math.min(Math.max(leftMs, GUESSED_LEASE_MIN_MS), LEASE_MAX_MS);
}
