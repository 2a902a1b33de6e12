import { REMEMBERS_MOVES } from '@tollgate/contracts';
import type { LeftOut } from '@tollgate/contracts/node';

import {
  checkRouted,
  sizeOf,
  whyLeftOut,
  type Ask,
  type CandidateModel,
  type LeftOutReason,
  type Refusal,
  type SizedCandidate,
} from '../decide';
import type { KeyPlan, ModelPlan, PlannedCandidate, PlannedPrice, RoutingPlan } from '../directory';
import type { BreakerFigures, Routed, RoutedState } from '../store';
import type { GiveBacks } from './give-backs';
import { MOVED_MAX } from './moved';
import {
  firstChoice,
  listed,
  preferred,
  ROTATES,
  settledOn,
  stillGood,
  STRICT,
  turned,
} from './order';
import { refusalOf } from './refusal';
import { LOCAL, type Turns } from './turns';

export interface Choice {
  readonly routing: RoutingPlan;
  /** The candidate that would answer without routing. */
  readonly firstModelId: string;
  /** In the order to try; at least one. */
  readonly candidates: readonly CandidateModel[];
  readonly leftOut: readonly LeftOut[];
  /** The candidate that only this request may try until then; it comes first. */
  readonly probe: Pick<Probed, 'modelId' | 'untilMs'> | undefined;
  /** The conversation is looked for at another candidate than the first one here. */
  readonly rememberPlace: boolean;
  /** Gives back an unused turn or probe. */
  readonly giveBack: (what: ToGiveBack) => void;
}

export type Chosen =
  { readonly choice: Choice } | { readonly refusal: Refusal & { readonly retryAfterMs?: number } };

/** Whether the turn and the probe of a choice are given back. */
export interface ToGiveBack {
  readonly turn: boolean;
  readonly probe: boolean;
}

export interface ChooseDeps {
  readonly turns: Turns;
  readonly giveBacks: Pick<GiveBacks, 'give'>;
  readonly figures: Pick<BreakerFigures, 'forgetMs'>;
  readonly probeMs: number;
  /** How long after its last turn a moved conversation is remembered. */
  readonly movedMs: number;
  readonly onLeftOut: (reason: LeftOutReason) => void;
  readonly onRouted: (strategy: string, outcome: 'chosen' | 'refused') => void;
  readonly onProbe: (probed: Probed) => void;
}

/** A request that probes a half-open breaker. */
export interface Probed {
  readonly organisationId: string;
  readonly providerId: string;
  readonly modelId: string;
  readonly nowMs: number;
  readonly untilMs: number;
}

/** A request with a routing policy, and the prices at this instant. */
export interface RoutedAsk extends Ask {
  readonly plan: KeyPlan;
  readonly priceOf: (model: ModelPlan) => PlannedPrice | undefined;
}

interface Able {
  readonly candidate: PlannedCandidate;
  readonly sized: SizedCandidate;
  readonly costNanoUsd: bigint | undefined;
  readonly latencyUs: number | undefined;
  readonly latencies: number;
}

const RESTING: Readonly<Record<Exclude<RoutedState, 'CLOSED' | 'PROBE'>, LeftOutReason>> = {
  OPEN: 'breaker_open',
  PROBING: 'breaker_probing',
  COOLDOWN: 'cooldown',
};

export type Choose = (routing: RoutingPlan, ask: RoutedAsk) => Promise<Chosen>;

/** Chooses the candidates of a request by its key's routing policy, and their order. */
export function createChoose(deps: ChooseDeps): Choose {
  return async (routing, ask) => {
    const refusal = checkRouted(ask);
    if (refusal !== undefined) return { refusal };
    const leftOut: LeftOut[] = [];
    const leave = (candidate: PlannedCandidate, reason: LeftOutReason, untilMs = 0): void => {
      deps.onLeftOut(reason);
      const modelName = candidate.model?.name ?? '';
      leftOut.push({ modelId: candidate.modelId, modelName, reason, untilMs });
    };

    const { strategy } = routing;
    const assigned = ask.named?.arm === undefined ? undefined : ask.model?.modelId;
    const affinity = assigned === undefined ? affinityOf(routing, ask) : undefined;
    const given = listed(strategy, ableOf(routing, ask, leave), ask.model?.modelId);
    const order = affinity ? preferred(strategy, given, affinity) : armFirst(given, assigned);
    const routed =
      order.length === 0
        ? undefined
        : await deps.turns.route(itemOf(deps, routing, ask, order, { affinity, assigned }));
    const usable: Able[] = [];
    let probe: { able: Able; untilMs: number } | undefined;
    for (const [index, able] of order.entries()) {
      const found = routed?.states[index];
      if (found === undefined) continue;
      const { state, untilMs, latencyUs, latencies } = found;
      if (state === 'PROBE') probe = { able, untilMs };
      else if (state === 'CLOSED') usable.push({ ...able, latencyUs, latencies });
      else leave(able.candidate, RESTING[state], untilMs);
    }
    const moved = order[routed?.moved ?? -1];
    // A new conversation begins where it is quick; one that has begun stays at its place.
    const begun = ask.request.conversationContinues;
    const place = moved ?? (begun ? order[0] : undefined);
    const last = affinity
      ? startingWith(
          settledOn(strategy, usable, affinity),
          stillGood(strategy, usable, place, begun),
        )
      : armFirst(turned(strategy, usable, routed?.turn?.number), assigned);
    // A probing request tries the probed candidate first: no closed one precedes it where order
    // matters.
    const tried = probe === undefined ? last : [probe.able, ...last];
    if (routed === undefined || tried.length === 0) {
      deps.onRouted(routing.strategy, 'refused');
      return {
        refusal: refusalOf(routing, leftOut, {
          nowMs: routed?.nowMs ?? ask.nowMs,
          regionRules: ask.plan.regionRules,
        }),
      };
    }
    deps.onRouted(routing.strategy, 'chosen');
    const probed = probe && probedOf(ask, probe.able, routed.nowMs, probe.untilMs);
    if (probed !== undefined) deps.onProbe(probed);
    return {
      choice: {
        routing,
        firstModelId: firstChoice(routing, ask.model?.modelId),
        candidates: tried.map(({ sized }) => sized),
        leftOut,
        probe: probed,
        rememberPlace:
          affinity !== undefined && tried[0]?.candidate !== (moved ?? order[0])?.candidate,
        giveBack: (what) => giveBack(deps, routing, ask, routed, probed, what),
      },
    };
  };
}

/** The conversation of a request, where the strategy would rotate. */
function affinityOf({ strategy }: RoutingPlan, { request }: RoutedAsk): Uint8Array | undefined {
  return ROTATES[strategy] && request.affinity.length > 0 ? request.affinity : undefined;
}

/** The model of an experiment's arm comes first; the others follow after it failed. */
function armFirst(list: Able[], modelId: string | undefined): Able[] {
  return startingWith(
    list,
    list.find(({ candidate }) => candidate.modelId === modelId),
  );
}

/** Where a conversation was moved to comes first while it is available. */
function startingWith(usable: Able[], moved: Able | undefined): Able[] {
  const first = usable.find(({ candidate }) => candidate === moved?.candidate);
  return first === undefined ? usable : [first, ...usable.filter((one) => one !== first)];
}

function giveBack(
  deps: ChooseDeps,
  { policyId }: RoutingPlan,
  { plan: { shard, subject } }: RoutedAsk,
  { turn }: Routed,
  probe: Probed | undefined,
  what: ToGiveBack,
): void {
  const { apiKeyId } = subject;
  const shared = turn === undefined || turn.set === LOCAL ? undefined : turn;
  deps.giveBacks.give({
    shard,
    turn: what.turn && shared ? { ...shared, apiKeyId, policyId } : undefined,
    probe: what.probe ? probe : undefined,
  });
}

function itemOf(
  deps: ChooseDeps,
  routing: RoutingPlan,
  { plan, request }: RoutedAsk,
  order: readonly Able[],
  /** The order is that of this conversation or arm, which takes no turn and is not sent elsewhere to probe. */
  { affinity, assigned }: { affinity: Uint8Array | undefined; assigned: string | undefined },
) {
  const fixed = affinity !== undefined || assigned !== undefined;
  const remembered = affinity !== undefined && REMEMBERS_MOVES.has(routing.strategy);
  const released = request.contextCompacted;
  return {
    shard: plan.shard,
    apiKeyId: plan.subject.apiKeyId,
    policyId: routing.policyId,
    strict: fixed || STRICT[routing.strategy],
    rotates: !fixed && ROTATES[routing.strategy],
    stream: request.stream,
    probeMs: deps.probeMs,
    forgetMs: deps.figures.forgetMs,
    ...(remembered
      ? { conversation: { id: affinity, keptMs: deps.movedMs, most: MOVED_MAX, released } }
      : {}),
    candidates: order.map(({ candidate, sized }) => ({
      providerId: sized.model.entry.providerId,
      modelId: candidate.modelId,
      place: candidate.place,
    })),
  };
}

/**
 * Gives the choice back unless `keep` is called. Then the request uses its turn, and its probe if
 * the probed candidate is among the allowed ones.
 */
export async function whileChosen<T>(
  choice: Choice,
  work: (keep: (modelIds: readonly string[]) => void) => Promise<T>,
): Promise<T> {
  let toGiveBack: ToGiveBack = { turn: true, probe: true };
  try {
    return await work((modelIds) => {
      const { probe } = choice;
      toGiveBack = { turn: false, probe: probe !== undefined && !modelIds.includes(probe.modelId) };
    });
  } finally {
    choice.giveBack(toGiveBack);
  }
}

function ableOf(
  routing: RoutingPlan,
  ask: RoutedAsk,
  leave: (candidate: PlannedCandidate, reason: LeftOutReason) => void,
): Able[] {
  const able: Able[] = [];
  for (const candidate of routing.candidates) {
    const { model } = candidate;
    const price = model && ask.priceOf(model);
    const reason = whyLeftOut({ ...ask, price, alongside: routing.candidates }, ask.plan, model);
    if (reason !== undefined || model === undefined) {
      leave(candidate, reason ?? 'model_unavailable');
      continue;
    }
    const { connectionVersion } = model.entry;
    const offer = [{ model, price, connectionVersion }];
    const [sized] = sizeOf(ask.request, offer, ask.plan).candidates;
    if (sized === undefined) continue;
    const costNanoUsd = price === undefined ? undefined : sized.costNanoUsd;
    able.push({ candidate, sized, costNanoUsd, latencyUs: undefined, latencies: 0 });
  }
  return able;
}

function probedOf({ plan }: RoutedAsk, { sized }: Able, nowMs: number, untilMs: number): Probed {
  const { modelId, entry } = sized.model;
  const { organisationId } = plan;
  return { organisationId, providerId: entry.providerId, modelId, nowMs, untilMs };
}
