import type { EndedState, LedgerEntry } from '../..';

// What the model keeps of a shard.

export interface Part {
  amount: bigint;
  start: number;
  end: number;
}

export interface ModelHold {
  state: 'HELD' | EndedState;
  at: number;
  lease: number;
  step: number;
  ticketText: string;
  epoch: number;
  askedAgain: boolean;
  /** The authorize call that took it; undefined: it was adopted. */
  by: string | undefined;
  endedAt: number;
  seq: number;
  /** By limit: the added amount and its window. */
  parts: Map<string, Part>;
}

/** The current window of a limit; `settled` null: cold. */
export interface Counter {
  start: number;
  end: number;
  settled: bigint | null;
}

export interface Meta {
  epoch: number;
  seq: number;
  booked: number;
  floor: number;
  rev: number;
  closed: number;
  /** Since when counters are complete: one of a value that is missing is zero in a window that began later. */
  born: number;
}

/** An amount of each limit, taken in advance. */
export interface ModelFloat {
  batch: number;
  lease: number;
  parts: Map<string, Part & { free: bigint; rate: boolean }>;
}

export interface State {
  /** null: the shard has no data. */
  meta: Meta | null;
  /** The server is the one that the data were opened on. */
  sameServer: boolean;
  counters: Map<string, Counter>;
  /** Of a rate: each request's amount in the bucket of its instant. */
  rates: Map<string, Map<string, { at: number; amount: bigint }>>;
  holds: Map<string, ModelHold>;
  stream: LedgerEntry[];
  floats: Map<string, ModelFloat>;
  /** By limit: until when floats of it are wanted back. */
  wanted: Map<string, number>;
  /** Holds that ended other than SETTLED, with the instant: still to be reported. */
  ended: Map<string, number>;
}

export interface ShardModel {
  data: State;
  now: number;
}

export const empty = (): State => ({
  meta: null,
  sameServer: true,
  counters: new Map(),
  rates: new Map(),
  holds: new Map(),
  stream: [],
  floats: new Map(),
  wanted: new Map(),
  ended: new Map(),
});

export function copyOf(s: State): State {
  const each = <T extends object>(map: ReadonlyMap<string, T>, copy: (one: T) => T) =>
    new Map([...map].map(([id, one]) => [id, copy(one)]));
  return {
    meta: s.meta && { ...s.meta },
    sameServer: s.sameServer,
    counters: each(s.counters, (one) => ({ ...one })),
    rates: each(s.rates, (filled) => each(filled, (one) => ({ ...one }))),
    holds: each(s.holds, (hold) => ({ ...hold, parts: new Map(hold.parts) })),
    stream: [...s.stream],
    floats: each(s.floats, (float) => ({
      ...float,
      parts: each(float.parts, (part) => ({ ...part })),
    })),
    wanted: new Map(s.wanted),
    ended: new Map(s.ended),
  };
}
