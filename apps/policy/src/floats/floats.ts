import type { Logger } from '@tollgate/kit';

import type { CounterRef, EpochOutcome, Hold, Store } from '../store';
import type { FloatExtension } from './decide';
import type { ExactReason, FloatDecision, FloatRequest } from './decision';
import type { FloatFigures } from './figures';
import type { EndContent, Ended, MemoryHold } from './memory';
import type { FloatParameters } from './parameters';
import type { FloatClock } from './time';

// What the memory offers to others, and what it needs of them.

export interface FloatDeps {
  readonly store: Pick<Store, 'post' | 'reclaim'>;
  readonly clock: FloatClock;
  readonly parameters: FloatParameters;
  /** Unique to this process: a float id is never used twice. */
  readonly processId: string;
  readonly leaseMs: number;
  readonly ledgerMax: number;
  /** Whether every policy at this Redis takes floats into account. Otherwise everything goes back, and Redis decides. */
  readonly allKnowFloats: () => boolean;
  /** 0: the shard is not open. */
  readonly epochOf: (shard: number) => number;
  readonly onEpoch: (shard: number, outcome: EpochOutcome) => void;
  /** Edges adopt the running holds that name this float. */
  readonly onAdopt: (shard: number, floatId: string) => void;
  /** The end of a hold whose lease is over: its outcome is unknown. */
  readonly abandoned: (hold: MemoryHold) => EndContent;
  /** Rounds are needed from now on, until it is idle. */
  readonly onAsked?: (() => void) | undefined;
  /** Figures for operators. */
  readonly onDecided?: (() => void) | undefined;
  readonly onExact?: ((reason: ExactReason) => void) | undefined;
  readonly onPosted?: ((ends: number) => void) | undefined;
  readonly log: Logger;
}

export interface Floats {
  /** The estimated time of the shard's Redis. `undefined`: unknown. */
  redisMs(shard: number): number | undefined;
  /** `undefined`: Redis decides. */
  authorize(shard: number, request: FloatRequest): FloatDecision;
  /** `undefined`: the hold is not in memory. EXACT: Redis decides it now. */
  settle(shard: number, requestId: string, content: EndContent): Promise<Ended> | undefined;
  /** `undefined`: the hold is not in memory. EXACT: it has been kept, Redis extends it now. */
  extend(
    shard: number,
    extension: FloatExtension,
  ): { kind: 'GRANTED'; leaseUntilMs: number } | { kind: 'GONE' } | Promise<Ended> | undefined;
  /** A script has ended an ordinary hold with these counters. */
  closed(shard: number, counters: readonly CounterRef[]): void;
  /**
   * The answer to a decision was never written, or Redis has the hold now. `undefined`: nothing is
   * left of it here.
   */
  drop(shard: number, requestId: string): Promise<Ended> | undefined;
  /** Its holds become ordinary ones. */
  sessionEnded(session: string): void;
  /** Decides nothing more from memory, and gives everything back. */
  drain(): void;
  /** Whether anything is in memory or under way. */
  readonly busy: boolean;
  /** Whether nothing is due until somebody asks again. */
  readonly idle: boolean;
  readonly figures: () => FloatFigures;
  /** Requests that go on and are older than this, as ordinary holds; at most `count` of each shard. */
  readonly holdsOlderThan: (ageMs: number, count: number) => Map<number, Hold[]>;
  /** Sends what is due; called every `postIntervalMs`. */
  tick(): void;
}
