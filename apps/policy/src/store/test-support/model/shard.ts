import { isValueCounter } from '@tollgate/contracts';

import type {
  AuthorizeItem,
  BookItem,
  CloseItem,
  CloseOutcome,
  CounterKind,
  ExtendItem,
  LedgerEntry,
  OpenItem,
  OpenOutcome,
  SeedItem,
  SeedOutcome,
} from '../..';
import { denied, lentOf } from './lent';
import { counts, rateOf, rateSum, rateUse } from './rates';
import {
  copyOf,
  empty,
  type Meta,
  type ModelHold,
  type Part,
  type ShardModel,
  type State,
} from './state';
import { startsAtZero, streamRemainder } from './values';

// The exact state of a shard after each call. Held amounts are always summed from the live holds,
// so that the scripts' counters, which are only incremented and decremented, have something
// independent to agree with.

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

export function createModel() {
  const model: ShardModel = { data: empty(), now: 0 };
  return {
    authorize: (item: AuthorizeItem) => authorize(model, item),
    extend: (item: ExtendItem) => extend(model, item),
    close: (item: CloseItem) => close(model, item),
    seed: (item: SeedItem) => seed(model, item),
    book: (item: BookItem) => book(model, item),
    open: (item: OpenItem) => open(model, item),
    inner: model,
    state: (): Readonly<State> => model.data,
    setTime: (ms: number): void => {
      model.now = ms;
    },
    now: () => model.now,
    held: (limitId: string, start: number, end: number) => heldIn(model, limitId, start, end),
    rateSum: (limitId: string) => rateSum(model, limitId),
    lent: (limitId: string) => lentOf(model.data, limitId, 0, 0),
    /** Holds whose lease ended before now, oldest first. */
    expired: (): string[] =>
      [...model.data.holds]
        .filter(([, { state, lease }]) => state === 'HELD' && lease <= model.now)
        .map(([id]) => id),
    /** Redis forgets ended holds after two minutes. Returns their ids. */
    forgetEnded: (): string[] => {
      const { holds } = model.data;
      const gone = [...holds].filter(
        ([, { state, endedAt }]) => state !== 'HELD' && endedAt <= model.now - ENDED_KEPT_MS,
      );
      for (const [id] of gone) holds.delete(id);
      return gone.map(([id]) => id);
    },
    restart: (): void => {
      model.data.sameServer = false;
    },
    empty: (): void => {
      model.data = empty();
    },
    snapshot: (): State => copyOf(model.data),
    rollBack: (to: State): void => {
      model.data = { ...copyOf(to), sameServer: false };
    },
  };
}

const windowed = (kind: CounterKind): boolean => kind === 'WINDOW' || kind === 'POST_PAID';

function newHold(epoch: number): ModelHold {
  return {
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
  };
}

function authorize(model: ShardModel, item: AuthorizeItem): Expected {
  const lost = epochRefusal(model, item.epoch);
  if (lost) return lost;
  const known = model.data.holds.get(item.requestId);
  if (known && known.state !== 'HELD') return { kind: 'ENDED', state: known.state };
  const untaken = known ? undefined : refusalOfNew(model, item);
  if (untaken) return untaken;
  const refused: string[] = [];
  const soft: string[] = [];
  const cold: string[] = [];
  const uses = item.counters.map((c) => {
    const use = useOf(model, c, c.windowStartMs, c.windowEndMs);
    if (use.settled === null) cold.push(c.limitId);
    else {
      const passed =
        c.kind === 'POST_PAID'
          ? use.settled >= c.limit
          : c.amount > 0n && use.settled + use.held + c.amount > c.limit;
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
    const about = { ...denied(model, refused), softExceeded: soft, coldLimitIds: cold };
    return { kind: 'DENY', nowMs: model.now, ...about, states: told(false) };
  }
  if (cold.length > 0) return { kind: 'COLD', limitIds: cold };
  const parts = new Map<string, Part>();
  for (const [i, c] of item.counters.entries()) {
    const { windowStartMs: start, windowEndMs: end, amount } = c;
    if (uses[i]?.rolls === true) model.data.counters.set(c.limitId, { start, end, settled: 0n });
    if (amount === 0n) continue;
    parts.set(c.limitId, { amount, start, end });
    if (c.kind === 'RATE') rateOf(model, c.limitId).set(item.requestId, { at: model.now, amount });
  }
  const lease = model.now + item.leaseMs;
  const { ticketText, attempt: by = '' } = item;
  model.data.holds.set(item.requestId, {
    ...newHold(item.epoch),
    at: model.now,
    lease,
    ticketText,
    by,
    parts,
  });
  const answer = {
    already: false,
    nowMs: model.now,
    leaseUntilMs: lease,
    ticketText: item.ticketText,
  };
  return { kind: 'ALLOW', ...answer, softExceeded: soft, states: told(true) };
}

/** Why a request without a hold is not even counted. */
function refusalOfNew(model: ShardModel, item: AuthorizeItem): Expected | undefined {
  const { now } = model;
  const { closed, seq, booked } = metaNow(model);
  if (now < closed) return { kind: 'CLOSED', untilMs: closed, nowMs: now };
  const undrained = seq - booked;
  if (undrained > LEDGER_MAX) return { kind: 'LEDGER_FULL', undrained };
  const outside = item.counters.some(
    (c) => windowed(c.kind) && (now < c.windowStartMs || now >= c.windowEndMs),
  );
  return outside ? { kind: 'CLOCK', nowMs: now } : undefined;
}

/** A limit's usage in a window: settled and held. */
function useOf(
  model: ShardModel,
  c: { limitId: string; kind: CounterKind },
  start: number,
  end: number,
) {
  if (c.kind === 'RATE') return { settled: rateUse(model, c.limitId), held: 0n, rolls: false };
  if (c.kind === 'CONCURRENCY') {
    return { settled: 0n, held: heldIn(model, c.limitId, 0, 0), rolls: false };
  }
  const counter = model.data.counters.get(c.limitId);
  if (counter?.start === start && counter.end === end) {
    return { settled: counter.settled, held: heldIn(model, c.limitId, start, end), rolls: false };
  }
  const rolls =
    counter === undefined
      ? isValueCounter(c.limitId) && startsAtZero(metaNow(model).born, start, model.now)
      : counter.settled !== null && counter.end <= start;
  return { settled: rolls ? 0n : null, held: 0n, rolls };
}

interface Share {
  had: bigint;
  missing: bigint;
  step: bigint;
  /** null: cold. */
  used: bigint | null;
  fresh: boolean;
  parks: boolean;
  /** Of a rate: the hold has no part of it, and gets none. */
  unrecorded: boolean;
}
const NO_SHARE: Share = {
  had: 0n,
  missing: 0n,
  step: 0n,
  used: null,
  fresh: false,
  parks: false,
  unrecorded: false,
};

/** One counter's part of an extension; null: it is skipped. */
function share(
  model: ShardModel,
  hold: ModelHold | undefined,
  at: number,
  c: ExtendItem['counters'][number],
  stepNumber: number,
): Share | null {
  const { windowStartMs: start, windowEndMs: end } = c;
  const part = hold?.parts.get(c.limitId);
  const here = part?.start === start && part.end === end ? part.amount : 0n;
  const grows = (had: bigint): bigint => {
    const from = c.base > had ? c.base : had;
    return c.total > from ? c.total - from : 0n;
  };
  const lacks = (had: bigint): bigint => (c.base > had ? c.base - had : 0n);
  if (c.kind === 'RATE') {
    const unrecorded = part === undefined;
    // The hold bears the number of what was granted before.
    const repeated = unrecorded && stepNumber <= (hold?.step ?? -1);
    if (repeated || !counts(model, at)) return null;
    return {
      ...NO_SHARE,
      had: here,
      step: grows(here),
      used: rateUse(model, c.limitId),
      unrecorded,
    };
  }
  if (c.kind === 'CONCURRENCY') {
    const used = heldIn(model, c.limitId, 0, 0);
    return { ...NO_SHARE, had: here, missing: lacks(here), step: grows(here), used };
  }
  const counter = model.data.counters.get(c.limitId);
  const same = counter?.start === start && counter.end === end;
  if (counter !== undefined && !same && counter.end > start) {
    // Cold, and possibly in another window: the seed finds the hold by its part.
    const noted = part?.start === start && part.end === end;
    const parks = counter.settled === null && model.now < end && !noted;
    return parks ? { ...NO_SHARE, parks } : null;
  }
  const had = same ? here : 0n;
  const settled = same ? counter.settled : null;
  const used = settled === null ? null : settled + heldIn(model, c.limitId, start, end);
  return { ...NO_SHARE, had, missing: lacks(had), step: grows(had), used, fresh: !same };
}

function extend(model: ShardModel, item: ExtendItem): Expected {
  const lost = epochRefusal(model, item.epoch);
  if (lost) return lost;
  const known = model.data.holds.get(item.requestId);
  if (known && known.state !== 'HELD') return { kind: 'GONE', state: known.state };
  const at = known?.at ?? item.authorisedAtMs;
  const shares = item.counters.map((c) => share(model, known, at, c, item.step));
  const refused: string[] = [];
  const soft: string[] = [];
  const cold: string[] = [];
  for (const [i, c] of item.counters.entries()) {
    const one = shares[i];
    if (!one || one.step === 0n) continue;
    if (one.used === null) cold.push(c.limitId);
    else if (one.used + one.missing + one.step > c.limit) (c.soft ? soft : refused).push(c.limitId);
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
    if (one.unrecorded) {
      // The hold has nothing of it to give back: what it is granted now stays for its minute.
      const name = `step ${String(item.step)} of ${item.requestId}`;
      rateOf(model, c.limitId).set(name, { at: model.now, amount: add });
      continue;
    }
    if (one.fresh) {
      model.data.counters.set(c.limitId, { start, end, settled: null });
      model.data.wanted.delete(c.limitId);
    }
    hold.parts.set(c.limitId, { amount: one.had + add, start, end });
    const filled = c.kind === 'RATE' ? rateOf(model, c.limitId).get(item.requestId) : undefined;
    if (filled) filled.amount += add;
  }
  const { step, ticketText } = item;
  const grows = shares.some((one) => (one?.step ?? 0n) > 0n);
  const isNext = step > hold.step || (step === hold.step && grows);
  Object.assign(hold, granted && isNext ? { step, ticketText } : { step: Math.max(hold.step, 0) });
  model.data.holds.set(item.requestId, hold);
  const leaseUntilMs = (hold.lease = Math.max(hold.lease, model.now + item.leaseMs));
  if (refused.length > 0) return { kind: 'DENY', leaseUntilMs, ...denied(model, refused) };
  const { closed: untilMs } = metaNow(model);
  if (cold.length > 0 && model.now < untilMs)
    return { kind: 'CLOSED', leaseUntilMs, untilMs, nowMs: model.now };
  if (cold.length > 0) return { kind: 'COLD', leaseUntilMs, limitIds: cold };
  const adopted = !known || shares.some((one) => one !== null && (one.parks || one.missing > 0n));
  return { kind: adopted ? 'ADOPTED' : 'GRANTED', leaseUntilMs, softExceeded: soft };
}

function close(model: ShardModel, item: CloseItem): Expected & { kind: CloseOutcome['kind'] } {
  const lost = epochRefusal(model, item.epoch);
  if (lost) return lost;
  const { mode, requestId } = item;
  const known = model.data.holds.get(requestId);
  if (item.orphan === true) {
    const { attempt = '' } = item;
    if (!known || known.askedAgain) return { kind: 'KEPT' };
    if (attempt !== '' && known.by !== attempt) return { kind: 'KEPT' };
  }
  if (known && known.state !== 'HELD' && (known.state !== 'ABANDONED' || mode === 'ABANDONED')) {
    return { kind: 'DUP', state: known.state, seq: known.seq };
  }
  if (mode === 'ABANDONED' && !known) return { kind: 'UNKNOWN' };
  if (mode === 'ABANDONED' && known && known.lease > model.now)
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
      const filled = rateOf(model, limitId).get(requestId);
      if (filled && !late && hold.parts.has(limitId) && counts(model, at)) filled.amount = spent;
      return { limitId, settled: rateUse(model, limitId), held: 0n };
    }
    if (c.kind === 'CONCURRENCY')
      return { limitId, settled: 0n, held: heldIn(model, limitId, 0, 0) };
    const counter = model.data.counters.get(limitId);
    const same = counter?.start === start && counter.end === end;
    const charges = same && counter.settled !== null && !late && mode !== 'CANCELLED';
    // The books know from entries alone what counts in a value, so these are named whether charged or not.
    if (charges || isValueCounter(limitId))
      touched.push({ limitId, windowStartMs: start, windowEndMs: end, amount: spent });
    if (!same) return { limitId, settled: null, held: 0n };
    if (charges && counter.settled !== null) counter.settled += spent;
    return { limitId, settled: counter.settled, held: heldIn(model, limitId, start, end) };
  });
  const maybeForgotten = known ? epoch !== item.epoch : model.now > item.leaseUntilMs;
  const written = mode !== 'CANCELLED' || late || maybeForgotten;
  const meta = metaNow(model);
  if (written) {
    meta.seq += 1;
    const { usage, dimensions, payload } = item;
    const entry = { requestId, mode, late, authorisedAtMs: at, closedAtMs: model.now };
    model.data.stream.push({ seq: meta.seq, ...entry, usage, dimensions, touched, payload });
  }
  const seq = written ? meta.seq : 0;
  // The held amounts are released; the parts are not read again.
  Object.assign(hold, { state: mode, endedAt: model.now, seq, lease: 0 });
  model.data.holds.set(requestId, hold);
  for (const { limitId, kind } of item.counters) {
    // A counter of slots goes with its last hold.
    if (kind === 'CONCURRENCY' && heldIn(model, limitId, 0, 0) === 0n)
      model.data.wanted.delete(limitId);
  }
  if (known && (mode !== 'SETTLED' || late)) {
    model.data.ended.set(requestId, model.now);
    for (const [id, endedAt] of model.data.ended) {
      if (endedAt <= model.now - ENDED_KEPT_MS) model.data.ended.delete(id);
    }
  }
  return { kind: 'CLOSED', seq, nowMs: model.now, late, unknown: !known, states };
}

function seed(model: ShardModel, item: SeedItem): Expected & { kind: SeedOutcome['kind'] } {
  const lost = epochRefusal(model, item.epoch);
  if (lost) return lost;
  const meta = metaNow(model);
  if (item.position > meta.seq) return { kind: 'EPOCH', lost: true, epoch: meta.epoch };
  if (model.now < meta.closed) return { kind: 'CLOSED', untilMs: meta.closed, nowMs: model.now };
  if (item.position < meta.floor || item.rev < meta.rev) return { kind: 'STALE' };
  const undrained = meta.seq - item.position;
  if (undrained > SCAN_MAX) return { kind: 'LAG', undrained };
  const results = item.counters.map((c) => {
    const { limitId, windowStartMs: start, windowEndMs: end } = c;
    if (model.now < start || model.now >= end) return { limitId, kind: 'CLOCK' };
    const counter = model.data.counters.get(limitId);
    const same = counter?.start === start && counter.end === end;
    if (same && counter.settled !== null) return { limitId, kind: 'WARM' };
    const settled = c.total + streamRemainder(model.data.stream, c, item.position);
    model.data.counters.set(limitId, { start, end, settled });
    return { limitId, kind: 'SEEDED' };
  });
  return { kind: 'DONE', nowMs: model.now, results };
}

function book(model: ShardModel, item: BookItem): Expected {
  const lost = epochRefusal(model, item.epoch);
  if (lost) return lost;
  const meta = metaNow(model);
  if (item.position > meta.seq) return { kind: 'EPOCH', lost: true, epoch: meta.epoch };
  meta.booked = Math.max(meta.booked, item.position);
  meta.floor = Math.max(meta.floor, item.position);
  meta.rev = Math.max(meta.rev, item.rev);
  model.data.stream = model.data.stream.filter(({ seq }) => seq > meta.booked);
  for (const [limitId, counter] of model.data.counters) {
    const forgotten = item.forgetAll === true || item.forgetLimitIds.includes(limitId);
    if (forgotten) counter.settled = null;
  }
  if (item.forgetAll === true) meta.born = model.now;
  return { kind: 'BOOKED', booked: meta.booked, seq: meta.seq };
}

function open(model: ShardModel, item: OpenItem): Expected & { kind: OpenOutcome['kind'] } {
  if (model.data.meta && item.newEpoch <= model.data.meta.epoch) {
    return { kind: 'ALREADY', epoch: model.data.meta.epoch, lost: !model.data.sameServer };
  }
  const numbered = model.data.meta?.epoch === item.newEpoch - 1;
  const from = numbered ? item.position : (model.data.meta?.booked ?? 0);
  model.data.stream = model.data.stream
    .filter(({ seq }) => seq > from)
    .map((entry, i) => ({ ...entry, seq: item.position + i + 1 }));
  // The number of an end is that of its entry.
  for (const { seq, requestId } of model.data.stream) {
    const hold = model.data.holds.get(requestId);
    if (hold) hold.seq = seq;
  }
  const closed = model.now + item.graceMs;
  const { newEpoch: epoch, position, rev } = item;
  const seq = position + model.data.stream.length;
  model.data.meta = { epoch, seq, booked: position, floor: position, rev, closed, born: model.now };
  model.data.sameServer = true;
  for (const counter of model.data.counters.values()) counter.settled = null;
  return { kind: 'OPENED', closedUntilMs: closed };
}

export function epochRefusal(model: ShardModel, epoch: number): Lost | undefined {
  if (model.data.meta === null) return { kind: 'EPOCH', lost: true, epoch: null };
  if (!model.data.sameServer) return { kind: 'EPOCH', lost: true, epoch: model.data.meta.epoch };
  if (epoch === model.data.meta.epoch) return undefined;
  return { kind: 'EPOCH', lost: epoch > model.data.meta.epoch, epoch: model.data.meta.epoch };
}

export function metaNow(model: ShardModel): Meta {
  if (model.data.meta === null) throw new Error('the shard has no meta');
  return model.data.meta;
}

/** The held amount of a window: the sum over the live holds. */
export function heldIn(model: ShardModel, limitId: string, start: number, end: number): bigint {
  let sum = 0n;
  for (const hold of model.data.holds.values()) {
    const part = hold.parts.get(limitId);
    if (hold.state !== 'HELD' || part === undefined) continue;
    if (part.start === start && part.end === end) sum += part.amount;
  }
  return sum + lentOf(model.data, limitId, start, end);
}

export type Model = ReturnType<typeof createModel>;
export type ModelSnapshot = ReturnType<Model['snapshot']>;
