import type {
  AuthorizeReply,
  AuthorizeRequest__Output,
  LeftOut,
  Retirement,
} from '@tollgate/contracts/node';

import {
  denialOf,
  heldAmount,
  isExpected,
  lowerToAfford,
  refuseByLimits,
  sizeWith,
  type Denied,
  type HoldSize,
  type Need,
  type OutputBound,
  type Reading,
  type SizedCandidate,
} from '../decide';
import type { KeyPlan, PlannedLimit } from '../directory';
import type { Choice } from '../routing';
import type { AuthorizeOutcome } from '../store';
import { counterKind, readingsOf } from './counters';
import type { HeldLimit } from './ticket';

// What can still be done for a request that limits refuse: fewer candidates, a smaller hold, or a
// denial.

export type Deny = AuthorizeOutcome & { kind: 'DENY' };

export interface DeniedAttempt {
  readonly request: AuthorizeRequest__Output;
  readonly plan: KeyPlan;
  readonly size: HoldSize;
  /** Limits that count the request; `limits` has the amounts. */
  readonly counted: readonly PlannedLimit[];
  readonly limits: readonly HeldLimit[];
  /** The routing policy's choice; undefined: no policy applies. */
  readonly choice: Choice | undefined;
  /** What was announced of the name that the request asked for. */
  readonly retirement?: Retirement | undefined;
}

/** The hold with only the candidates that fit unchanged; undefined: none fits, or all do. */
export function withoutUnfit(attempt: DeniedAttempt, outcome: Deny): HoldSize | undefined {
  const { size } = attempt;
  if (size.candidates.length < 2) return undefined;
  const fit = size.candidates.filter((candidate) =>
    obstacles(attempt, outcome, candidate).every(({ fits }) => fits),
  );
  if (fit.length === 0 || fit.length === size.candidates.length) return undefined;
  return sizeWith(size, fit);
}

/** Operations whose bound of the output goes upstream, so that a lower one costs less. */
const SENDS_BOUND: ReadonlySet<string> = new Set(['chat', 'completions', 'responses']);

/**
 * A smaller hold with the candidates that are refused only by budgets that clamp, each lowered to
 * what those budgets afford; undefined: they afford nothing.
 */
export function lower(attempt: DeniedAttempt, outcome: Deny): HoldSize | undefined {
  const { request, size } = attempt;
  if (!SENDS_BOUND.has(request.operation)) return undefined;
  const lowered = size.candidates.flatMap((candidate) => {
    const inTheWay = obstacles(attempt, outcome, candidate);
    if (inTheWay.length === 0 || !inTheWay.every(({ clamps }) => clamps)) return [];
    const affordable = least(inTheWay.map(({ left }) => left));
    if (affordable <= 0n || affordable >= candidate.costNanoUsd) return [];
    return lowerToAfford(sizeWith(size, [candidate]), affordable)?.candidates ?? [];
  });
  return lowered.length === 0 ? undefined : sizeWith(size, lowered);
}

/** A refusing limit as it applies to one candidate. */
interface Obstacle {
  readonly fits: boolean;
  readonly left: bigint;
  readonly clamps: boolean;
}

// The refusing limits that count a candidate. A limit with unknown amounts has nothing left.
function obstacles(
  attempt: DeniedAttempt,
  outcome: Deny,
  candidate: SizedCandidate,
): readonly Obstacle[] {
  const { counted, limits, size } = attempt;
  const readings = new Map(
    readingsOf(limits, outcome.states, () => 0n).map((one) => [one.limit.limitId, one]),
  );
  const alone = sizeWith(size, [candidate]);
  const refusing = new Set(outcome.limitIds);
  return counted.flatMap((limit) => {
    if (!refusing.has(limit.limitId) || !counts(limit, candidate)) return [];
    const reading = readings.get(limit.limitId);
    // In a dry run, what floats would give back. A request waits for that before it is refused.
    const free = outcome.states.find(({ limitId }) => limitId === limit.limitId)?.lent ?? 0n;
    const left = reading === undefined ? 0n : limit.limit - reading.settled - reading.held + free;
    const clamps = limit.kind === 'BUDGET' && limit.clamp;
    return [{ fits: fits(limit, heldAmount(limit, alone), left), left, clamps }];
  });
}

function counts({ scopeType, scopeId }: PlannedLimit, { model }: SizedCandidate): boolean {
  return scopeType !== 'MODEL' || scopeId === model.modelId;
}

// Metrics that are known only at the end (errors, latency) hold nothing and refuse when nothing is
// left.
function fits(limit: PlannedLimit, needed: bigint, left: bigint): boolean {
  return counterKind(limit) === 'POST_PAID' ? left > 0n : needed === 0n || needed <= left;
}

/** The denial states the smallest amount that any candidate would need. */
export function deny(attempt: DeniedAttempt, outcome: Deny): AuthorizeReply {
  const planned = new Map(attempt.counted.map((limit) => [limit.limitId, limit]));
  const readings = deniedReadings(attempt, outcome, planned);
  const refusing = new Set(outcome.limitIds);
  const exceeded = readings
    .filter(({ limit }) => refusing.has(limit.limitId))
    .map((reading) => ({ ...reading, tagKey: planned.get(reading.limit.limitId)?.tagKey }));
  const needFor = (limit: Pick<PlannedLimit, 'limitId'>): Need | undefined =>
    needOf(attempt, planned.get(limit.limitId));
  const refusal = withChoice(refuseByLimits(exceeded, outcome.nowMs, needFor), attempt.choice);
  const { plan, retirement } = attempt;
  return { denial: denialOf({ ...refusal, retirement }, plan.subject, readings) };
}

/** The limits of a refused request, each with the smallest amount that any candidate would need. */
export function deniedReadings(
  { counted, limits, size }: DeniedAttempt,
  { states }: Deny,
  planned = new Map(counted.map((limit) => [limit.limitId, limit])),
): Reading[] {
  const alone = size.candidates.map((candidate) => ({
    candidate,
    size: sizeWith(size, [candidate]),
  }));
  const needed = ({ limitId, held }: HeldLimit): bigint => {
    const limit = planned.get(limitId);
    if (limit === undefined || alone.length < 2) return held;
    const counting = alone.filter(({ candidate }) => counts(limit, candidate));
    return least(counting.map(({ size }) => heldAmount(limit, size)));
  };
  return readingsOf(limits, states, needed);
}

// Of the candidate that a limit would need least for, as the denial's amount is.
function needOf(
  { request, size }: DeniedAttempt,
  limit: PlannedLimit | undefined,
): Need | undefined {
  if (limit === undefined) return undefined;
  const [first, ...others] = size.candidates.filter((candidate) => counts(limit, candidate));
  if (first === undefined) return undefined;
  const amountOf = (candidate: SizedCandidate): bigint =>
    heldAmount(limit, sizeWith(size, [candidate]));
  const cheapest = others.reduce((a, b) => (amountOf(b) < amountOf(a) ? b : a), first);
  return {
    inputTokens: cheapest.inputTokens,
    outputTokens: cheapest.heldOutputTokens * size.choices,
    bound: boundOf(request, cheapest),
  };
}

function boundOf({ maxOutputTokens }: AuthorizeRequest__Output, held: SizedCandidate): OutputBound {
  if (isExpected(held)) return 'EXPECTED';
  return held.heldOutputTokens > 0 && maxOutputTokens === 0 && !held.inSteps
    ? 'ASSUMED'
    : 'REQUESTED';
}

function withChoice(refusal: Denied, choice: Choice | undefined): Denied {
  if (choice === undefined) return refusal;
  const { routing, leftOut } = choice;
  return {
    ...refusal,
    details: {
      ...refusal.details,
      routingPolicy: { id: routing.policyId, name: routing.name },
      leftOut: [...leftOut, ...limited(choice, [])].map(({ modelId, modelName, reason }) => ({
        modelId,
        modelName,
        reason,
      })),
    },
  };
}

/** Candidates of a choice that no limit has room for: all that were not kept. */
export function limited({ candidates }: Choice, kept: readonly string[]): LeftOut[] {
  return candidates
    .filter(({ model }) => !kept.includes(model.modelId))
    .map(({ model: { modelId, name } }) => ({
      modelId,
      modelName: name,
      reason: 'limit_reached',
      untilMs: 0,
    }));
}

function least(amounts: readonly bigint[]): bigint {
  const [first = 0n, ...rest] = amounts;
  return rest.reduce((low, amount) => (amount < low ? amount : low), first);
}
