// What the edge knows of a hold, and when a policy must take it over.
import { LEASE_MAX_MS } from '@tollgate/contracts';

import type { PendingResponse } from './hold';
import type { ItemSession } from './item';

/** A hold of a running request, as the edge knows it. */
export interface Entry {
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
  /** Extensions so far, and the last of them that was granted. */
  asked: number;
  granted: number;
  /** The last extension that was sent before policy told of a loss of data. */
  reopenedAt: number;
  chain: Promise<void> | undefined;
}

/** Whoever decided the hold is away, or cannot report it any more. */
export function isAdrift({ ended, floatId, gone, lost }: Entry): boolean {
  return lost && floatId !== '' && !ended && !gone;
}

// A hold leaves its float once and for all: a memory's answer that comes late must not bring it back.
export function storeHasIt(entry: Entry): void {
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
