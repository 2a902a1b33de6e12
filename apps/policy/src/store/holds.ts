import type { Clock } from '@tollgate/kit';

import type { BatchedCall } from './batches';
import { amountText, epochOutcome, limitText, notAfter, type Calls } from './calls';
import type {
  AuthorizeItem,
  AuthorizeOutcome,
  CloseItem,
  CloseOutcome,
  CounterKind,
  CounterRef,
  CounterState,
  EndedState,
  ExtendItem,
  ExtendOutcome,
} from './items';
import { counterKey, endedKey, holdKey, leasesKey, ledgerKey, metaKey } from './keys';
import { dimensionsText, touchedText, usageText } from './ledger-entry';
import { asAmount, asNumber, asRow, asText, named, type Row } from './replies';

// Taking, extending and ending a hold: the arguments of the three scripts and their replies.

export interface HoldDeps {
  calls: Calls;
  clock: Clock;
  deadlineMs: number;
  ledgerStreamMax: number;
}

/** An authorize that reaches Redis this long after its deadline is refused there. */
export const LATE_SLACK_MS = 250;

const KIND_CODE: Record<CounterKind, string> = {
  WINDOW: 'W',
  POST_PAID: 'P',
  RATE: 'R',
  CONCURRENCY: 'C',
};

export const kindCode = (kind: CounterKind): string => KIND_CODE[kind];

export function authorize(deps: HoldDeps, item: AuthorizeItem): Promise<AuthorizeOutcome> {
  return inTime(deps, (aheadMs) => askAuthorize(deps, item, aheadMs));
}

/** Asks again when the server says that the call is late and it is not. */
export async function inTime(
  { clock }: HoldDeps,
  ask: (aheadMs?: number) => Promise<AuthorizeOutcome | number>,
): Promise<AuthorizeOutcome> {
  const first = await ask();
  if (typeof first !== 'number') return first;
  // The server says that the call is late, but we are still within the deadline: our estimate of
  // its clock is wrong.
  const second = await ask(first - clock.now());
  if (typeof second !== 'number') return second;
  throw new Error('the clock of redis cannot be followed');
}

// Returns the server's time when the script was late by the server's clock.
async function askAuthorize(
  deps: HoldDeps,
  item: AuthorizeItem,
  aheadMs?: number,
): Promise<AuthorizeOutcome | number> {
  const reply = await deps.calls.batched('authorize', authorizeCall(deps, item, aheadMs));
  return authorizeOutcome(reply, item);
}

export function authorizeCall(
  deps: HoldDeps,
  { shard, requestId, counters, ...item }: AuthorizeItem,
  aheadMs?: number,
): BatchedCall {
  return {
    shard,
    keys: [metaKey(shard), leasesKey(shard)],
    hold: holdKey(shard, requestId),
    uses: counters.map((c) => ({
      key: counterKey(shard, c.limitId),
      args: [...windowOf(c), limitText(c.limit), c.soft ? '1' : '0'],
      amount: amountText(c.amount),
    })),
    sameFor: `${String(item.epoch)} ${String(item.leaseMs)} ${String(aheadMs ?? '')}`,
    common: (info) => {
      if (aheadMs !== undefined) info.aheadMs = aheadMs;
      return [
        String(item.epoch),
        info.runId,
        notAfter(info, deps.clock, deps.deadlineMs + LATE_SLACK_MS),
        String(item.leaseMs),
        String(deps.ledgerStreamMax),
      ];
    },
    args: [item.ticketText, item.attempt ?? ''],
  };
}

export function authorizeOutcome(reply: Row, item: AuthorizeItem): AuthorizeOutcome | number {
  const { counters } = item;
  switch (reply[0]) {
    case 'ALLOW': {
      const already = reply[3] === '1';
      return {
        kind: 'ALLOW',
        nowMs: asNumber(reply[1]),
        leaseUntilMs: asNumber(reply[2]),
        ticketText: already ? asText(reply[4]) : item.ticketText,
        already,
        softExceeded: named(reply[5], counters),
        states: statesOf(reply[6], counters),
      };
    }
    case 'DENY':
      return {
        kind: 'DENY',
        nowMs: asNumber(reply[1]),
        limitIds: named(reply[2], counters),
        softExceeded: named(reply[3], counters),
        coldLimitIds: named(reply[4], counters),
        states: statesOf(reply[5], counters),
        ...(reply[6] === '1' ? { lent: true } : {}),
      };
    case 'COLD':
      return { kind: 'COLD', limitIds: named(reply[1], counters) };
    case 'EPOCH':
      return epochOutcome(reply);
    case 'CLOSED':
      return { kind: 'CLOSED', untilMs: asNumber(reply[1]), nowMs: asNumber(reply[2]) };
    case 'LEDGER_FULL':
      return { kind: 'LEDGER_FULL', undrained: asNumber(reply[1]) };
    case 'CLOCK':
      return { kind: 'CLOCK', nowMs: asNumber(reply[1]) };
    case 'ENDED':
      return { kind: 'ENDED', state: asEnded(reply[1]) };
    case 'LATE':
      return asNumber(reply[1]);
    default:
      throw new TypeError(`authorize answered ${String(reply[0])}`);
  }
}

export async function extend(deps: HoldDeps, item: ExtendItem): Promise<ExtendOutcome> {
  const { shard, requestId, counters } = item;
  const reply = await deps.calls.script(
    'extend',
    [metaKey(shard), holdKey(shard, requestId), leasesKey(shard), ...keysOf(shard, counters)],
    ({ runId }) => {
      const args = [String(item.epoch), runId, String(item.authorisedAtMs), String(item.leaseMs)];
      args.push(String(item.step), item.previousTicketText, item.ticketText, item.floatId ?? '');
      for (const c of counters) {
        if (c.total < c.base)
          throw new RangeError(`${c.limitId}: the total of a hold cannot be less than its base`);
        args.push(KIND_CODE[c.kind], c.soft ? '1' : '0', String(c.windowStartMs));
        args.push(
          String(c.windowEndMs),
          limitText(c.limit),
          amountText(c.base),
          amountText(c.total),
        );
      }
      return args;
    },
  );
  switch (reply[0]) {
    case 'GRANTED':
    case 'ADOPTED':
      return {
        kind: reply[0],
        leaseUntilMs: asNumber(reply[1]),
        softExceeded: named(reply[2], counters),
        states: statesOf(reply[3], counters),
      };
    case 'DENY':
      return {
        kind: 'DENY',
        leaseUntilMs: asNumber(reply[1]),
        limitIds: named(reply[2], counters),
        states: statesOf(reply[3], counters),
        ...(reply[4] === '1' ? { lent: true } : {}),
      };
    case 'COLD':
      return {
        kind: 'COLD',
        leaseUntilMs: asNumber(reply[1]),
        limitIds: named(reply[2], counters),
      };
    case 'CLOSED':
      return {
        kind: 'CLOSED',
        leaseUntilMs: asNumber(reply[1]),
        untilMs: asNumber(reply[2]),
        nowMs: asNumber(reply[3]),
      };
    case 'GONE':
      return { kind: 'GONE', state: asEnded(reply[1]) };
    case 'EPOCH':
      return epochOutcome(reply);
    default:
      throw new TypeError(`extend answered ${String(reply[0])}`);
  }
}

export async function close(deps: HoldDeps, item: CloseItem): Promise<CloseOutcome> {
  const { shard, requestId, counters } = item;
  const args = [item.orphan === true ? 'ORPHANED' : item.mode, String(item.authorisedAtMs)];
  args.push(String(item.leaseUntilMs), item.payload, usageText(item.usage));
  args.push(dimensionsText(item.dimensions), touchedText(counters), item.attempt ?? '');
  args.push(item.states === false ? '0' : '1', item.floatId ?? '');
  const reply = await deps.calls.batched('close', {
    shard,
    keys: [metaKey(shard), leasesKey(shard), ledgerKey(shard), endedKey(shard)],
    hold: holdKey(shard, requestId),
    uses: counters.map((c) => ({
      key: counterKey(shard, c.limitId),
      args: windowOf(c),
      amount: amountText(c.spent),
    })),
    sameFor: String(item.epoch),
    common: ({ runId }) => [String(item.epoch), runId],
    args,
  });
  switch (reply[0]) {
    case 'CLOSED':
      return {
        kind: 'CLOSED',
        seq: asNumber(reply[1]),
        nowMs: asNumber(reply[2]),
        late: reply[3] === '1',
        unknown: reply[4] === '1',
        states: item.states === false ? [] : statesOf(reply[5], counters),
        authorisedAtMs: asNumber(reply[6]),
        charged: asText(reply[7]),
      };
    case 'DUP':
      return { kind: 'DUP', state: asEnded(reply[1]), seq: asNumber(reply[2]) };
    case 'ALIVE':
      return { kind: 'ALIVE', leaseUntilMs: asNumber(reply[1]) };
    case 'UNKNOWN':
    case 'KEPT':
      return { kind: reply[0] };
    case 'EPOCH':
      return epochOutcome(reply);
    default:
      throw new TypeError(`close answered ${String(reply[0])}`);
  }
}

function windowOf(c: CounterRef): string[] {
  return [KIND_CODE[c.kind], String(c.windowStartMs), String(c.windowEndMs)];
}

function keysOf(shard: number, counters: readonly CounterRef[]): string[] {
  return counters.map(({ limitId }) => counterKey(shard, limitId));
}

// Two amounts per counter, three for a rate: see the scripts.
export function statesOf(value: unknown, counters: readonly CounterRef[]): CounterState[] {
  const row = asRow(value);
  let at = 0;
  return counters.map(({ limitId, kind }) => {
    const [first, second, third] = [row[at], row[at + 1], row[at + 2]];
    const settled = first === '' ? null : asAmount(first);
    if (kind === 'RATE') {
      at += 3;
      const [freeAtMs, retryAtMs] = [asNumber(second), asNumber(third)];
      return { limitId, settled, held: 0n, freeAtMs, retryAtMs };
    }
    at += 2;
    return { limitId, settled, held: asAmount(second), freeAtMs: 0, retryAtMs: 0 };
  });
}

export function asEnded(value: unknown): EndedState {
  if (value === 'SETTLED' || value === 'CANCELLED' || value === 'ABANDONED') return value;
  throw new TypeError(`redis has an unknown end state: ${String(value)}`);
}
