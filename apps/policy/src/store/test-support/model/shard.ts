import type {
  AuthorizeItem,
  BookItem,
  CloseItem,
  CloseOutcome,
  CounterKind,
  EndedState,
  ExtendItem,
  LedgerEntry,
  OpenItem,
  OpenOutcome,
  SeedItem,
  SeedOutcome,
} from '../..';
import { RATE_BUCKET_MS, RATE_BUCKETS } from '../../scripts/prelude';

// The exact state of a shard after each call. Held amounts are always summed from the live holds,
// so that the scripts' counters, which are only incremented and decremented, have something
// independent to agree with.

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
interface Counter {
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
}

interface State {
  /** null: the shard has no data. */
  meta: Meta | null;
  /** The server is the one that the data were opened on. */
  sameServer: boolean;
  counters: Map<string, Counter>;
  /** Of a rate: each request's amount in the bucket of its instant. */
  rates: Map<string, Map<string, { at: number; amount: bigint }>>;
  holds: Map<string, ModelHold>;
  stream: LedgerEntry[];
  /** Holds that ended other than SETTLED, with the instant: still to be reported. */
  ended: Map<string, number>;
}

/** One counter as a reply states it. */
export interface Told {
  limitId: string;
  settled: bigint | null;
  held: bigint;
}
interface Named {
  limitIds?: string[];
  softExceeded?: string[];
  states?: Told[];
}
/** The part of an outcome that the model predicts. */
export type Expected = { kind: string; [field: string]: unknown } & Named;

interface Lost {
  kind: 'EPOCH';
  lost: boolean;
  epoch: number | null;
  [field: string]: unknown;
}

export const ENDED_KEPT_MS = 120_000;
export const LEDGER_MAX = 6;
export const SCAN_MAX = 5;

const NO_PART = { had: 0n, missing: 0n, step: 0n, used: null, fresh: false };

const empty = (): State => ({
  meta: null,
  sameServer: true,
  counters: new Map(),
  rates: new Map(),
  holds: new Map(),
  stream: [],
  ended: new Map(),
});

function copyOf(s: State): State {
  const each = <T extends object>(map: ReadonlyMap<string, T>, copy: (one: T) => T) =>
    new Map([...map].map(([id, one]) => [id, copy(one)]));
  return {
    meta: s.meta && { ...s.meta },
    sameServer: s.sameServer,
    counters: each(s.counters, (one) => ({ ...one })),
    rates: each(s.rates, (filled) => each(filled, (one) => ({ ...one }))),
    holds: each(s.holds, (hold) => ({ ...hold, parts: new Map(hold.parts) })),
    stream: [...s.stream],
    ended: new Map(s.ended),
  };
}

export function createModel() {
  let s = empty();
  let now = 0;

  const windowed = (kind: CounterKind): boolean => kind === 'WINDOW' || kind === 'POST_PAID';

  const epochRefusal = (epoch: number): Lost | undefined => {
    if (s.meta === null) return { kind: 'EPOCH', lost: true, epoch: null };
    if (!s.sameServer) return { kind: 'EPOCH', lost: true, epoch: s.meta.epoch };
    if (epoch === s.meta.epoch) return undefined;
    return { kind: 'EPOCH', lost: epoch > s.meta.epoch, epoch: s.meta.epoch };
  };
  const metaNow = (): Meta => {
    if (s.meta === null) throw new Error('the shard has no meta');
    return s.meta;
  };

  /** The held amount of a window: the sum over the live holds. */
  const heldIn = (limitId: string, start: number, end: number): bigint => {
    let sum = 0n;
    for (const hold of s.holds.values()) {
      const part = hold.parts.get(limitId);
      if (hold.state !== 'HELD' || part === undefined) continue;
      if (part.start === start && part.end === end) sum += part.amount;
    }
    return sum;
  };

  const rateOf = (limitId: string) => {
    const found = s.rates.get(limitId) ?? new Map<string, { at: number; amount: bigint }>();
    s.rates.set(limitId, found);
    return found;
  };
  const bucketOf = (ms: number): number => Math.floor(ms / RATE_BUCKET_MS);
  const counts = (at: number): boolean => bucketOf(at) > bucketOf(now) - RATE_BUCKETS;
  const rateSum = (limitId: string): bigint => {
    let sum = 0n;
    for (const { at, amount } of rateOf(limitId).values()) if (counts(at)) sum += amount;
    return sum;
  };

  /** A limit's usage in a window: settled and held. */
  const useOf = (c: { limitId: string; kind: CounterKind }, start: number, end: number) => {
    if (c.kind === 'RATE') return { settled: rateSum(c.limitId), held: 0n, rolls: false };
    if (c.kind === 'CONCURRENCY') {
      return { settled: 0n, held: heldIn(c.limitId, 0, 0), rolls: false };
    }
    const counter = s.counters.get(c.limitId);
    if (counter?.start === start && counter.end === end) {
      return { settled: counter.settled, held: heldIn(c.limitId, start, end), rolls: false };
    }
    const rolls = counter !== undefined && counter.settled !== null && counter.end <= start;
    return { settled: rolls ? 0n : null, held: 0n, rolls };
  };

  const authorize = (item: AuthorizeItem): Expected => {
    const lost = epochRefusal(item.epoch);
    if (lost) return lost;
    const meta = metaNow();
    const known = s.holds.get(item.requestId);
    if (known && known.state !== 'HELD') return { kind: 'ENDED', state: known.state };
    if (!known) {
      if (now < meta.closed) return { kind: 'CLOSED', untilMs: meta.closed, nowMs: now };
      const undrained = meta.seq - meta.booked;
      if (undrained > LEDGER_MAX) return { kind: 'LEDGER_FULL', undrained };
      const outside = item.counters.some(
        (c) => windowed(c.kind) && (now < c.windowStartMs || now >= c.windowEndMs),
      );
      if (outside) return { kind: 'CLOCK', nowMs: now };
    }
    const refused: string[] = [];
    const soft: string[] = [];
    const cold: string[] = [];
    const uses = item.counters.map((c) => {
      const use = useOf(c, c.windowStartMs, c.windowEndMs);
      if (use.settled === null) cold.push(c.limitId);
      else {
        const passed =
          c.kind === 'POST_PAID'
            ? use.settled >= c.limit
            : use.settled + use.held + c.amount > c.limit;
        if (passed) (c.soft ? soft : refused).push(c.limitId);
      }
      return use;
    });
    const told = (added: boolean): Told[] =>
      item.counters.map((c, i) => {
        const { settled = null, held = 0n } = uses[i] ?? {};
        const more = added ? c.amount : 0n;
        if (c.kind === 'RATE') return { limitId: c.limitId, settled: (settled ?? 0n) + more, held };
        return { limitId: c.limitId, settled, held: held + more };
      });
    if (known) {
      known.askedAgain = true;
      const { at: nowMs, lease: leaseUntilMs, ticketText } = known;
      const answer = { already: true, nowMs, leaseUntilMs, ticketText };
      return { kind: 'ALLOW', ...answer, softExceeded: soft, states: told(false) };
    }
    if (refused.length > 0) {
      const about = { limitIds: refused, softExceeded: soft, coldLimitIds: cold };
      return { kind: 'DENY', nowMs: now, ...about, states: told(false) };
    }
    if (cold.length > 0) return { kind: 'COLD', limitIds: cold };
    const parts = new Map<string, Part>();
    for (const [i, c] of item.counters.entries()) {
      const { windowStartMs: start, windowEndMs: end, amount } = c;
      if (uses[i]?.rolls === true) s.counters.set(c.limitId, { start, end, settled: 0n });
      if (amount === 0n) continue;
      parts.set(c.limitId, { amount, start, end });
      if (c.kind === 'RATE') rateOf(c.limitId).set(item.requestId, { at: now, amount });
    }
    const lease = now + item.leaseMs;
    const { ticketText, attempt: by = '' } = item;
    s.holds.set(item.requestId, { ...newHold(item.epoch), at: now, lease, ticketText, by, parts });
    const answer = { already: false, nowMs: now, leaseUntilMs: lease, ticketText: item.ticketText };
    return { kind: 'ALLOW', ...answer, softExceeded: soft, states: told(true) };
  };

  const newHold = (epoch: number): ModelHold => ({
    state: 'HELD',
    at: 0,
    lease: 0,
    step: 0,
    ticketText: '',
    epoch,
    askedAgain: false,
    by: undefined,
    endedAt: 0,
    seq: 0,
    parts: new Map(),
  });

  /** One counter's part of an extension; null: it is skipped. */
  const share = (hold: ModelHold | undefined, at: number, c: ExtendItem['counters'][number]) => {
    const { windowStartMs: start, windowEndMs: end } = c;
    const part = hold?.parts.get(c.limitId);
    const here = part?.start === start && part.end === end ? part.amount : 0n;
    const grows = (had: bigint): bigint => {
      const from = c.base > had ? c.base : had;
      return c.total > from ? c.total - from : 0n;
    };
    const lacks = (had: bigint): bigint => (c.base > had ? c.base - had : 0n);
    if (c.kind === 'RATE') {
      if (part === undefined || !counts(at)) return null;
      const used: bigint | null = rateSum(c.limitId);
      return { had: here, missing: 0n, step: grows(here), used, fresh: false, parks: false };
    }
    if (c.kind === 'CONCURRENCY') {
      const used: bigint | null = heldIn(c.limitId, 0, 0);
      return {
        had: here,
        missing: lacks(here),
        step: grows(here),
        used,
        fresh: false,
        parks: false,
      };
    }
    const counter = s.counters.get(c.limitId);
    const same = counter?.start === start && counter.end === end;
    if (counter !== undefined && !same && counter.end > start) {
      // Cold, and possibly in another window: the seed finds the hold by its part.
      const noted = part?.start === start && part.end === end;
      const parks = counter.settled === null && now < end && !noted;
      return parks ? { ...NO_PART, parks } : null;
    }
    const had = same ? here : 0n;
    const settled = same ? counter.settled : null;
    const used = settled === null ? null : settled + heldIn(c.limitId, start, end);
    return { had, missing: lacks(had), step: grows(had), used, fresh: !same, parks: false };
  };

  const extend = (item: ExtendItem): Expected => {
    const lost = epochRefusal(item.epoch);
    if (lost) return lost;
    const known = s.holds.get(item.requestId);
    if (known && known.state !== 'HELD') return { kind: 'GONE', state: known.state };
    const at = known?.at ?? item.authorisedAtMs;
    const shares = item.counters.map((c) => share(known, at, c));
    const refused: string[] = [];
    const soft: string[] = [];
    const cold: string[] = [];
    for (const [i, c] of item.counters.entries()) {
      const one = shares[i];
      if (!one || one.step === 0n) continue;
      if (one.used === null) cold.push(c.limitId);
      else if (one.used + one.missing + one.step > c.limit)
        (c.soft ? soft : refused).push(c.limitId);
    }
    const granted = refused.length === 0 && cold.length === 0;
    // The epoch that took an adopted hold is unknown.
    const hold = known ?? { ...newHold(0), at, step: -1, ticketText: item.previousTicketText };
    for (const [i, c] of item.counters.entries()) {
      const one = shares[i];
      const add = one ? one.missing + (granted ? one.step : 0n) : 0n;
      const { windowStartMs: start, windowEndMs: end } = c;
      if (one?.parks === true) hold.parts.set(c.limitId, { amount: c.base, start, end });
      if (!one || add === 0n) continue;
      if (one.fresh) s.counters.set(c.limitId, { start, end, settled: null });
      hold.parts.set(c.limitId, { amount: one.had + add, start, end });
      const filled = c.kind === 'RATE' ? rateOf(c.limitId).get(item.requestId) : undefined;
      if (filled) filled.amount += add;
    }
    hold.lease = Math.max(hold.lease, now + item.leaseMs);
    if (granted && item.step > hold.step)
      Object.assign(hold, { step: item.step, ticketText: item.ticketText });
    hold.step = Math.max(hold.step, 0);
    s.holds.set(item.requestId, hold);
    const leaseUntilMs = hold.lease;
    if (refused.length > 0) return { kind: 'DENY', leaseUntilMs, limitIds: refused };
    const { closed } = metaNow();
    if (cold.length > 0 && now < closed)
      return { kind: 'CLOSED', leaseUntilMs, untilMs: closed, nowMs: now };
    if (cold.length > 0) return { kind: 'COLD', leaseUntilMs, limitIds: cold };
    const adopted = !known || shares.some((one) => one !== null && (one.parks || one.missing > 0n));
    return { kind: adopted ? 'ADOPTED' : 'GRANTED', leaseUntilMs, softExceeded: soft };
  };

  const close = (item: CloseItem): Expected & { kind: CloseOutcome['kind'] } => {
    const lost = epochRefusal(item.epoch);
    if (lost) return lost;
    const { mode, requestId } = item;
    const known = s.holds.get(requestId);
    if (item.orphan === true) {
      const { attempt = '' } = item;
      if (!known || known.askedAgain) return { kind: 'KEPT' };
      if (attempt !== '' && known.by !== attempt) return { kind: 'KEPT' };
    }
    if (known && known.state !== 'HELD' && (known.state !== 'ABANDONED' || mode === 'ABANDONED')) {
      return { kind: 'DUP', state: known.state, seq: known.seq };
    }
    if (mode === 'ABANDONED' && !known) return { kind: 'UNKNOWN' };
    if (mode === 'ABANDONED' && known && known.lease > now)
      return { kind: 'ALIVE', leaseUntilMs: known.lease };
    const late = known?.state === 'ABANDONED';
    const at = known?.at ?? item.authorisedAtMs;
    const hold = known ?? { ...newHold(item.epoch), at };
    const { epoch } = hold;
    if (!late) Object.assign(hold, { state: mode });
    const touched: LedgerEntry['touched'] = [];
    const states = item.counters.map((c): Told => {
      const { limitId, windowStartMs: start, windowEndMs: end, spent } = c;
      if (c.kind === 'RATE') {
        const filled = rateOf(limitId).get(requestId);
        if (filled && !late && hold.parts.has(limitId) && counts(at)) filled.amount = spent;
        return { limitId, settled: rateSum(limitId), held: 0n };
      }
      if (c.kind === 'CONCURRENCY') return { limitId, settled: 0n, held: heldIn(limitId, 0, 0) };
      const counter = s.counters.get(limitId);
      if (counter?.start !== start || counter.end !== end)
        return { limitId, settled: null, held: 0n };
      if (counter.settled !== null && !late && mode !== 'CANCELLED') {
        counter.settled += spent;
        touched.push({ limitId, windowStartMs: start, windowEndMs: end, amount: spent });
      }
      return { limitId, settled: counter.settled, held: heldIn(limitId, start, end) };
    });
    const maybeForgotten = known ? epoch !== item.epoch : now > item.leaseUntilMs;
    const written = mode !== 'CANCELLED' || late || maybeForgotten;
    const meta = metaNow();
    if (written) {
      meta.seq += 1;
      const { usage, dimensions, payload } = item;
      const entry = { requestId, mode, late, authorisedAtMs: at, closedAtMs: now };
      s.stream.push({ seq: meta.seq, ...entry, usage, dimensions, touched, payload });
    }
    const seq = written ? meta.seq : 0;
    // The held amounts are released; the parts are not read again.
    Object.assign(hold, { state: mode, endedAt: now, seq, lease: 0 });
    s.holds.set(requestId, hold);
    if (known && (mode !== 'SETTLED' || late)) {
      s.ended.set(requestId, now);
      for (const [id, endedAt] of s.ended) {
        if (endedAt <= now - ENDED_KEPT_MS) s.ended.delete(id);
      }
    }
    return { kind: 'CLOSED', seq, nowMs: now, late, unknown: !known, states };
  };

  const seed = (item: SeedItem): Expected & { kind: SeedOutcome['kind'] } => {
    const lost = epochRefusal(item.epoch);
    if (lost) return lost;
    const meta = metaNow();
    if (item.position > meta.seq) return { kind: 'EPOCH', lost: true, epoch: meta.epoch };
    if (now < meta.closed) return { kind: 'CLOSED', untilMs: meta.closed, nowMs: now };
    if (item.position < meta.floor || item.rev < meta.rev) return { kind: 'STALE' };
    const undrained = meta.seq - item.position;
    if (undrained > SCAN_MAX) return { kind: 'LAG', undrained };
    const results = item.counters.map((c) => {
      const { limitId, windowStartMs: start, windowEndMs: end } = c;
      if (now < start || now >= end) return { limitId, kind: 'CLOCK' };
      const counter = s.counters.get(limitId);
      const same = counter?.start === start && counter.end === end;
      if (same && counter.settled !== null) return { limitId, kind: 'WARM' };
      let settled = c.total;
      for (const e of s.stream) {
        const matches = e.dimensions[c.scopeType] === c.scopeId;
        const within = e.authorisedAtMs >= start && e.authorisedAtMs < end;
        const charges = !e.late && e.mode !== 'CANCELLED' && e.seq > item.position;
        if (matches && within && charges) settled += e.usage[c.metric];
      }
      s.counters.set(limitId, { start, end, settled });
      return { limitId, kind: 'SEEDED' };
    });
    return { kind: 'DONE', nowMs: now, results };
  };

  const book = (item: BookItem): Expected => {
    const lost = epochRefusal(item.epoch);
    if (lost) return lost;
    const meta = metaNow();
    if (item.position > meta.seq) return { kind: 'EPOCH', lost: true, epoch: meta.epoch };
    meta.booked = Math.max(meta.booked, item.position);
    meta.floor = Math.max(meta.floor, item.position);
    meta.rev = Math.max(meta.rev, item.rev);
    s.stream = s.stream.filter(({ seq }) => seq > meta.booked);
    for (const [limitId, counter] of s.counters) {
      const forgotten = item.forgetAll === true || item.forgetLimitIds.includes(limitId);
      if (forgotten) counter.settled = null;
    }
    return { kind: 'BOOKED', booked: meta.booked, seq: meta.seq };
  };

  const open = (item: OpenItem): Expected & { kind: OpenOutcome['kind'] } => {
    if (s.meta && item.newEpoch <= s.meta.epoch) {
      return { kind: 'ALREADY', epoch: s.meta.epoch, lost: !s.sameServer };
    }
    const numbered = s.meta?.epoch === item.newEpoch - 1;
    const from = numbered ? item.position : (s.meta?.booked ?? 0);
    s.stream = s.stream
      .filter(({ seq }) => seq > from)
      .map((entry, i) => ({ ...entry, seq: item.position + i + 1 }));
    // The number of an end is that of its entry.
    for (const { seq, requestId } of s.stream) {
      const hold = s.holds.get(requestId);
      if (hold) hold.seq = seq;
    }
    const closed = now + item.graceMs;
    const { newEpoch: epoch, position, rev } = item;
    const seq = position + s.stream.length;
    s.meta = { epoch, seq, booked: position, floor: position, rev, closed };
    s.sameServer = true;
    for (const counter of s.counters.values()) counter.settled = null;
    return { kind: 'OPENED', closedUntilMs: closed };
  };

  return {
    authorize,
    extend,
    close,
    seed,
    book,
    open,
    state: (): Readonly<State> => s,
    setTime: (ms: number): void => {
      now = ms;
    },
    now: () => now,
    held: heldIn,
    rateSum,
    /** Holds whose lease ended before now, oldest first. */
    expired: (): string[] =>
      [...s.holds]
        .filter(([, { state, lease }]) => state === 'HELD' && lease <= now)
        .map(([id]) => id),
    /** Redis forgets ended holds after two minutes. Returns their ids. */
    forgetEnded: (): string[] => {
      const gone = [...s.holds].filter(
        ([, { state, endedAt }]) => state !== 'HELD' && endedAt <= now - ENDED_KEPT_MS,
      );
      for (const [id] of gone) s.holds.delete(id);
      return gone.map(([id]) => id);
    },
    restart: (): void => {
      s.sameServer = false;
    },
    empty: (): void => {
      s = empty();
    },
    snapshot: (): State => copyOf(s),
    rollBack: (to: State): void => {
      s = { ...copyOf(to), sameServer: false };
    },
  };
}

export type Model = ReturnType<typeof createModel>;
export type ModelSnapshot = ReturnType<Model['snapshot']>;
