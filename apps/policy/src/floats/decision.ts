import type { AuthorizeCounter, CounterState } from '../store';
import type { EndContent } from './memory';
import type { FloatParameters } from './parameters';

// What is asked of the memory, and what it answers.

export interface FloatRequest {
  readonly requestId: string;
  /** The session that asks, and will be told. */
  readonly session: string;
  /** The edge has asked another session before: only Redis can tell what became of that. */
  readonly resent: boolean;
  /** The same question once more, because Redis has refused it: its demand and its reason are noted already. */
  readonly again?: boolean;
  readonly leaseMs: number;
  readonly ticketText: string;
  /** Windows at the estimated time of Redis. */
  readonly counters: readonly AuthorizeCounter[];
}

/** `undefined`: Redis decides. */
export type FloatDecision =
  | {
      kind: 'ALLOW';
      already: boolean;
      nowMs: number;
      leaseUntilMs: number;
      ticketText: string;
      floatId: string;
      /** Of the request's counters, up to one post old; floats count as held. */
      states: CounterState[];
    }
  | { kind: 'ENDED'; state: EndContent['mode'] }
  | undefined;

export interface Now {
  readonly nowMs: number;
  /** `undefined`: unknown. */
  readonly redisMs: number | undefined;
}

export interface Rules {
  readonly parameters: FloatParameters;
  /** Undrained entries from which on Redis refuses. */
  readonly ledgerMax: number;
  readonly onExact: (reason: ExactReason) => void;
}

/** Why a request was not decided from memory. */
export type ExactReason =
  /** A policy runs that does not know floats, or it is not known that none does. */
  | 'members'
  /** It counts in a limit on each end user, session or value of a tag. */
  | 'value'
  /** Another session was asked before. */
  | 'resent'
  /** There is no float, or it is near the end of its lease. */
  | 'lease'
  /** Earlier decisions have not reached Redis yet. */
  | 'unposted'
  /** Many ledger entries wait for the catalog. */
  | 'ledger'
  /** Redis is out of memory, and takes nothing new. */
  | 'no_memory'
  /** Near the end of a window, or after a change of one. */
  | 'window'
  /** Nothing, or too little, is lent of a counter. */
  | 'lent'
  /** Too much is in memory. */
  | 'full'
  /** The hold is on its way to Redis. */
  | 'kept';
