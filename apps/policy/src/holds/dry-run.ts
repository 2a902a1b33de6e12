import type {
  AuthorizeRequest__Output,
  Denial,
  DryRunCheck,
  DryRunHold,
  DryRunLimit,
  DryRunReply,
} from '@tollgate/contracts/node';

import {
  denialOf,
  limitStateOf,
  outputSourceOf,
  tightestFirst,
  unknownStateOf,
  type Reading,
} from '../decide';
import type { Store } from '../store';
import { allow, type AllowDeps, type Attempt, type EncodedTicket } from './allow';
import type { Decided } from './ask';
import { readingsOf } from './counters';
import { decide, type Answers, type DecideDeps, type Decider } from './decide-request';
import { deniedReadings, limited, type Deny } from './denied';
import { offered } from './offer';
import { createStoreTime } from './store-time';

// Says what authorize would decide, by the same lines, with a store that only looks.

/** `choose` takes nothing either. */
export interface DryRunDeps extends Omit<
  DecideDeps,
  'store' | 'orphans' | 'floats' | 'onExact' | 'leaseMs'
> {
  readonly store: Pick<Store, 'tryAuthorize'>;
}

export type DryRun = (
  request: AuthorizeRequest__Output,
  deadlineAtMs: number,
) => Promise<DryRunReply>;

/**
 * Decides a request without a hold. Nothing that a later decision or the books read is changed, but
 * for caches: a key's plan, cold counters that are seeded, a shard that is opened after a loss of data.
 */
export function createDryRun(deps: DryRunDeps): DryRun {
  const time = createStoreTime(deps.clock);
  const shared = {
    ...deps,
    store: { authorize: deps.store.tryAuthorize },
    issuers: {
      ...deps.issuers,
      // A look keeps no stored object for longer.
      find: (plan, id, options) => deps.issuers.find(plan, id, { ...options, renew: false }),
    } satisfies DecideDeps['issuers'],
    // A look that is not answered has taken nothing.
    orphans: { add: () => undefined },
    floats: undefined,
    leaseMs: 0,
    nameCall: () => '',
    time,
  };
  return (request, deadlineAtMs) => {
    const checks: DryRunCheck[] = [];
    const decider: Decider<DryRunReply> = {
      ...shared,
      answers: answersWith(checks),
      note: (name, passed) => {
        // The key was read again: the checks begin anew.
        if (name === 'key') checks.length = 0;
        checks.push({ name, passed });
      },
    };
    return decide(decider, request, { caller: undefined, deadlineAtMs, patienceMs: 0 });
  };
}

function answersWith(checks: DryRunCheck[]): Answers<DryRunReply> {
  const told = (reply: DryRunReply): DryRunReply => ({ ...reply, checks });
  return {
    refused: (refusal, plan) => {
      const isKey = refusal.code === 'invalid_api_key';
      if (isKey) checks.length = 0;
      // Two refusals are not of the list that is walked through.
      if (checks.every(({ passed }) => passed)) {
        checks.push({ name: isKey ? 'key' : 'routing', passed: false });
      }
      return told({ denial: denialOf(refusal, plan?.subject ?? null) });
    },
    allowed: (attempt, encoded, outcome) => {
      const decided = allow(NOTHING_WRITTEN, attempt, encoded, outcome);
      checks.push({ name: 'limits', passed: true });
      const readings = readingsOf(attempt.limits, outcome.states, ({ held }) => held);
      return told({
        allow: decided,
        hold: holdOf(attempt),
        limits: limitsOf(attempt, readings, outcome),
        candidates: decided.candidates ?? [],
        routing: decided.routing ?? null,
      });
    },
    denied: ({ denial }, attempt, encoded, outcome) => {
      checks.push({ name: 'limits', passed: false });
      return told(deniedReply(denial ?? {}, attempt, encoded, outcome));
    },
  };
}

const NOTHING_WRITTEN: AllowDeps = {
  holdTokens: { write: () => Buffer.alloc(0) },
  softLimits: { note: () => undefined },
  leaseMs: 0,
};

function deniedReply(
  denial: Denial,
  attempt: Attempt,
  { ticket }: EncodedTicket,
  outcome: Deny,
): DryRunReply {
  const { choice } = attempt;
  const { candidates = [], routing = null } = offered(attempt, ticket, outcome);
  return {
    denial,
    hold: holdOf(attempt),
    limits: limitsOf(attempt, deniedReadings(attempt, outcome), outcome),
    candidates,
    routing:
      choice === undefined || routing === null
        ? null
        : { ...routing, leftOut: [...choice.leftOut, ...limited(choice, [])] },
  };
}

function holdOf({ request, size, clamped }: Attempt): DryRunHold {
  const dearest = size.candidates.find(({ costNanoUsd }) => costNanoUsd === size.costNanoUsd);
  return {
    nanoUsd: size.costNanoUsd.toString(),
    inputTokens: size.inputTokens,
    audioInputTokens: size.audioInputTokens,
    readTokens: dearest?.readTokens ?? 0,
    outputTokens: dearest?.heldOutputTokens ?? 0,
    choices: size.choices,
    units: { ...size.units },
    clamped,
    outputSource: dearest === undefined ? '' : outputSourceOf(request, dearest, clamped),
  };
}

function limitsOf(
  { limits }: Attempt,
  readings: readonly Reading[],
  outcome: Decided & { kind: 'ALLOW' | 'DENY' },
): DryRunLimit[] {
  const exceeded = new Set(outcome.softExceeded);
  if (outcome.kind === 'DENY') for (const id of outcome.limitIds) exceeded.add(id);
  const lent = new Map(outcome.states.map((state) => [state.limitId, state.lent ?? 0n]));
  const known = tightestFirst(readings).map((reading) => {
    const { limitId } = reading.limit;
    return {
      before: limitStateOf(reading),
      requested: reading.requested.toString(),
      exceeded: exceeded.has(limitId),
      lent: (lent.get(limitId) ?? 0n).toString(),
    };
  });
  const read = new Set(readings.map(({ limit }) => limit.limitId));
  const unknown = limits
    .filter(({ limitId }) => !read.has(limitId))
    .map((limit) => ({
      before: unknownStateOf(limit, limit.windowEndMs),
      requested: limit.held.toString(),
      exceeded: false,
      lent: '0',
    }));
  return [...known, ...unknown];
}
