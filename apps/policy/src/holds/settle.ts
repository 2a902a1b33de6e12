import type {
  Attempt__Output,
  Entry,
  SettleReply,
  SettleRequest__Output,
} from '@tollgate/contracts/node';
import type { Clock } from '@tollgate/kit';

import { limitStateOf, tightestFirst } from '../decide';
import { Failure } from '../failure';
import type { Floats } from '../floats';
import type { GiveBacks } from '../routing';
import type { CloseOutcome, Store } from '../store';
import { closeWithEntry, type Closed } from './closing';
import { readingsOf } from './counters';
import type { Epochs } from './epochs';
import type { HeldTicket, HoldTokens } from './hold-token';
import { endContent, reported } from './in-memory';
import type { Issuers } from './issuers';
import type { Ticket } from './ticket';

export interface SettleDeps {
  readonly store: Pick<Store, 'close'>;
  /** Absent: no hold is in memory. */
  readonly floats?: Pick<Floats, 'settle' | 'closed'> | undefined;
  readonly epochs: Epochs;
  readonly holdTokens: HoldTokens;
  readonly issuers: Pick<Issuers, 'settled' | 'takenBack'>;
  readonly giveBacks: Pick<GiveBacks, 'give'>;
  readonly clock: Clock;
  /** The shard has an entry for the drainer; `entry` makes it again without the store. */
  readonly onClosed: (shard: number, seq: number, written: Written) => void;
}

/** An entry that a close has written to the stream. */
export interface Written {
  readonly epoch: number;
  /** About the characters that it keeps in memory. */
  readonly size: number;
  readonly entry: () => Entry;
}

const ROUNDS_MAX = 6;

/**
 * Ends a hold: charges the usage, or releases everything. Idempotent. `told`: whether the reply has
 * the state of the limits.
 */
export function createSettle(deps: SettleDeps) {
  return async (
    request: SettleRequest__Output,
    deadlineAtMs: number,
    told = true,
  ): Promise<SettleReply> => {
    const held = deps.holdTokens.read(request.requestId, request.holdToken);
    const { ticket } = held;
    const close = closeWithEntry({
      mode: request.cancelled ? 'CANCELLED' : 'SETTLED',
      requestId: request.requestId,
      ticket,
      authorisedAtMs: held.authorisedAtMs,
      leaseUntilMs: held.leaseUntilMs,
      settle: request,
    });
    // Beside the close: neither waits for the other.
    const kept = deps.issuers.settled(ticket, request);
    const closed = (outcome: Closed, epoch: number): Promise<unknown> | undefined => {
      giveBackProbe(deps.giveBacks, ticket, request.attempts);
      if (outcome.seq !== 0) {
        const entry = () => close.entry(outcome);
        const size = close.item.payload.length;
        deps.onClosed(ticket.shard, outcome.seq, { epoch, size, entry });
      }
      return deps.issuers.takenBack(ticket, request);
    };
    const content = endContent(close.item);
    const ending = deps.floats?.settle(ticket.shard, request.requestId, content);
    if (ending !== undefined) {
      // A session has a deadline of its own.
      const ended = await (told ? reported(ending, deadlineAtMs, deps.clock) : ending);
      if (ended.kind === 'CLOSED') {
        deps.holdTokens.forget(request.requestId);
        await kept;
        const { again: duplicate = false, epoch, seq } = ended;
        if (!duplicate) await closed(ended, epoch);
        return { duplicate, seq, shard: ticket.shard, limits: [], epoch };
      }
    }
    for (let round = 0; round < ROUNDS_MAX && deps.clock.now() <= deadlineAtMs; round += 1) {
      const epoch = deps.epochs.of(ticket.shard);
      const { floatId } = held;
      const outcome = await deps.store.close({ ...close.item, floatId, epoch, states: told });
      if (outcome.kind === 'EPOCH') {
        await deps.epochs.follow(ticket.shard, outcome);
        continue;
      }
      deps.floats?.closed(ticket.shard, close.item.counters);
      deps.holdTokens.forget(request.requestId);
      await kept;
      if (outcome.kind === 'CLOSED') await closed(outcome, epoch);
      return { ...replyOf(held, outcome), epoch };
    }
    throw new Failure('DEADLINE_EXCEEDED', 'the hold could not be closed in time', 'redis');
  };
}

/** Gives back a probe that was not made; the report of a probe that was made covers the rest. */
export function giveBackProbe(
  giveBacks: Pick<GiveBacks, 'give'>,
  { shard, candidates }: Ticket,
  attempts: readonly Pick<Attempt__Output, 'modelId'>[],
): void {
  const probed = candidates.find(({ probeUntilMs }) => probeUntilMs > 0);
  if (probed === undefined) return;
  const { modelId, providerId, probeUntilMs: untilMs } = probed;
  if (attempts.some((attempt) => attempt.modelId === modelId)) return;
  giveBacks.give({ shard, turn: undefined, probe: { modelId, providerId, untilMs } });
}

function replyOf(
  { ticket }: HeldTicket,
  outcome: Exclude<CloseOutcome, { kind: 'EPOCH' }>,
): SettleReply & { seq: number } {
  switch (outcome.kind) {
    case 'CLOSED': {
      const readings = readingsOf(ticket.limits, outcome.states, () => 0n);
      return {
        duplicate: false,
        seq: outcome.seq,
        shard: ticket.shard,
        limits: tightestFirst(readings).map(limitStateOf),
      };
    }
    case 'DUP':
      return { duplicate: true, seq: outcome.seq, shard: ticket.shard, limits: [] };
    case 'ALIVE':
    case 'UNKNOWN':
    case 'KEPT':
      throw new Error(`a settle got the outcome of a sweep: ${outcome.kind}`);
  }
}
