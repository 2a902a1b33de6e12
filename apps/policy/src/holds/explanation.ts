import type {
  Allow,
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
  type NoteCheck,
  type Reading,
} from '../decide';
import type { KeyPlan } from '../directory';
import type { CounterState } from '../store';
import type { Attempt, EncodedTicket } from './allow';
import type { Decided } from './ask';
import { counterKind, readingsOf } from './counters';
import type { Refused } from './decide-request';
import { deniedReadings, limited, type Deny } from './denied';
import { offered } from './offer';
import type { HeldLimit } from './ticket';

// What a decision is made of, in the words of DryRunReply: of dry runs, and of real requests whose decision is kept.

type Allowed = Decided & { readonly kind: 'ALLOW' };

/** The checks of one request, and what it came to. */
export interface Explanation {
  /** Is told of every check before the limits. */
  readonly note: NoteCheck;
  readonly refused: (refusal: Refused, plan: KeyPlan | undefined) => DryRunReply;
  readonly allowed: (decided: Allow, attempt: Attempt, outcome: Allowed) => DryRunReply;
  readonly denied: (
    denial: Denial,
    attempt: Attempt,
    encoded: EncodedTicket,
    outcome: Deny,
  ) => DryRunReply;
}

/** `holdTaken`: an allow's amounts have the request in them, because the script that read them took the hold. */
export function createExplanation({ holdTaken }: { readonly holdTaken: boolean }): Explanation {
  const checks: DryRunCheck[] = [];
  const told = (reply: DryRunReply): DryRunReply => ({ ...reply, checks });
  return {
    note: (name, passed) => {
      // The key was read again: the checks begin anew.
      if (name === 'key') checks.length = 0;
      checks.push({ name, passed });
    },
    refused: (refusal, plan) => {
      const isKey = refusal.code === 'invalid_api_key';
      if (isKey) checks.length = 0;
      // Two refusals are not of the list that is walked through.
      if (checks.every(({ passed }) => passed)) {
        checks.push({ name: isKey ? 'key' : 'routing', passed: false });
      }
      return told({ denial: denialOf(refusal, plan?.subject ?? null) });
    },
    allowed: (decided, attempt, outcome) => {
      checks.push({ name: 'limits', passed: true });
      const source = holdTaken ? sourceOf(outcome) : '';
      const before =
        holdTaken && source !== 'MEMORY' ? statesBefore(attempt.limits, outcome) : outcome.states;
      const readings = readingsOf(attempt.limits, before, ({ held }) => held);
      return told({
        allow: decided,
        hold: holdOf(attempt),
        limits: limitsOf(attempt, readings, outcome, source),
        candidates: decided.candidates ?? [],
        routing: decided.routing ?? null,
      });
    },
    denied: (denial, attempt, encoded, outcome) => {
      checks.push({ name: 'limits', passed: false });
      return told(deniedReply(denial, attempt, encoded, outcome));
    },
  };
}

/** Where an allow's figures come from, if not from the script that took the hold. */
function sourceOf({ already, floatId }: Allowed): 'MEMORY' | 'REPEATED' | '' {
  if (already) return 'REPEATED';
  return floatId === undefined ? '' : 'MEMORY';
}

/** The amounts that the script found before it took the hold; it answers with those after. */
function statesBefore(limits: readonly HeldLimit[], { states }: Allowed): CounterState[] {
  const taken = new Map(limits.map((limit) => [limit.limitId, limit]));
  return states.map((state) => {
    const limit = taken.get(state.limitId);
    if (limit === undefined || state.settled === null) return state;
    // A minute counts what it grants at once.
    return counterKind(limit) === 'RATE'
      ? { ...state, settled: state.settled - limit.held }
      : { ...state, held: state.held - limit.held };
  });
}

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
  source = '',
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
      source,
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
      source,
    }));
  return [...known, ...unknown];
}
