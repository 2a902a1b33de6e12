import { CONVERSATION_OPERATIONS, isOneOf, priceAt } from '@tollgate/contracts';
import type { AuthorizeRequest__Output, Candidate, Routing } from '@tollgate/contracts/node';

import {
  type CandidateModel,
  type HoldSize,
  type Issuer,
  STEP_TOKENS,
  dearestOutputPrice,
  isUnplaced,
  modelForConversation,
} from '../decide';
import type { Choice } from '../routing';
import {
  type KeyPlan,
  type ModelPlan,
  type PlannedPrice,
  modelNamed,
  modelWithId,
  modelsOf,
} from '../directory';
import { unavailable } from '../failure';
import { limited } from './denied';
import type { HeldLimit, Ticket } from './ticket';

// What is promised to an allowed request: its model and the price of it, the ticket that is kept of
// it, and the candidates that the caller may send it to.

export interface Offer {
  readonly request: AuthorizeRequest__Output;
  readonly plan: KeyPlan;
  readonly size: HoldSize;
  readonly clamped: boolean;
  readonly limits: readonly HeldLimit[];
  /** By which routing policy its candidates were chosen; undefined: there is one, the model asked for. */
  readonly choice: Choice | undefined;
}

/** The candidates of a request, and what made them so. */
export interface Offered {
  readonly candidates: readonly CandidateModel[];
  readonly choice?: Choice;
  /** Called once, when the request is allowed by just these holds: with which of the candidates. */
  readonly keep?: (modelIds: readonly string[]) => void;
}

// A continued response may go on with the model it was made with, where the request names none.
export function modelOf(
  plan: KeyPlan,
  request: AuthorizeRequest__Output,
  issuer: Issuer | undefined,
): ModelPlan | undefined {
  if (isUnplaced(request)) return modelForConversation(plan, request);
  if (request.model !== '' || issuer === undefined) return modelNamed(plan, request.model);
  const model = modelWithId(plan, issuer.modelId);
  if (model !== undefined || request.storedId === '') return model;
  // The model is gone, and what it has stored is still there: any of its provider leads to it.
  return modelsOf(plan).find(({ entry }) => entry.providerId === issuer.providerId);
}

/**
 * What a request reads, changes or continues; an empty id: nothing stored. `renew`: it is a conversation,
 * which its provider keeps until it is deleted, and not for 30 days as responses.
 */
export function storedIn(request: AuthorizeRequest__Output): { id: string; renew: boolean } {
  const { conversationId, operation, previousResponseId, storedId } = request;
  const renew = conversationId !== '' || isOneOf(CONVERSATION_OPERATIONS, operation);
  return { id: storedId || previousResponseId || conversationId, renew };
}

export function ticketOf({ request, plan, size, clamped, limits, choice }: Offer): Ticket {
  return {
    shard: plan.shard,
    keySha256: request.keySha256,
    subject: plan.subject,
    timeZone: plan.timeZone,
    operation: request.operation,
    route: request.route,
    clientRequestId: request.clientRequestId,
    inputTokens: size.inputTokens,
    audioInputTokens: size.audioInputTokens,
    units: size.units ?? {},
    choices: size.choices,
    heldOutputTokens: size.heldOutputTokens,
    heldNanoUsd: size.costNanoUsd,
    outputPrice: dearestOutputPrice(size),
    clamped,
    step: 0,
    // Field by field: to copy what is left of an object takes longer than all the rest here.
    candidates: size.candidates.map((candidate) => ({
      modelId: candidate.model.modelId,
      modelName: candidate.model.name,
      providerId: candidate.model.entry.providerId,
      connectionVersion: candidate.connectionVersion,
      priceId: candidate.price?.price.priceId ?? '',
      outputBound: candidate.outputBound,
      heldOutputTokens: candidate.heldOutputTokens,
      inSteps: candidate.inSteps,
      probeUntilMs: choice?.probe?.modelId === candidate.model.modelId ? choice.probe.untilMs : 0,
    })),
    limits,
  };
}

function candidatesOf(
  { plan, size }: Pick<Offer, 'plan' | 'size'>,
  ticket: Ticket,
  nowMs: number,
): Candidate[] {
  const candidates: Candidate[] = [];
  for (const held of ticket.candidates) {
    const model = modelWithId(plan, held.modelId);
    if (model === undefined) continue;
    const { entry } = model;
    const sized = size.candidates.find((one) => one.model.modelId === held.modelId);
    const price =
      model.prices.find(({ price }) => price.priceId === held.priceId) ?? priceOf(model, nowMs);
    candidates.push({
      modelId: entry.modelId,
      modelName: entry.name,
      upstreamModel: entry.upstreamModel,
      modelType: entry.type,
      providerId: entry.providerId,
      providerType: entry.providerType,
      providerLabel: entry.providerLabel,
      upstreamFormat: entry.upstreamFormat,
      connectionVersion: held.connectionVersion,
      price: price?.wire ?? null,
      contextTokens: entry.contextTokens,
      defaultMaxOutputTokens: entry.defaultMaxOutputTokens,
      maxOutputTokens: held.outputBound,
      outputInSteps: held.inSteps,
      heldOutputTokens: held.heldOutputTokens,
      maxToolCalls: sized?.maxToolCalls ?? 0,
      // A budget that lowers the bound must be obeyed by the provider.
      outputBoundUnsent: sized?.boundUnsent === true && sized.outputBound === held.outputBound,
      nativeResponses: entry.nativeResponses,
      outputStepTokens: held.inSteps ? STEP_TOKENS : 0,
    });
  }
  if (candidates.length === 0) throw unavailable('catalog', 'the model of this request is gone');
  return candidates;
}

/** What an allowed request may be sent to, and how its candidates are to be tried. */
export function offered(
  { plan, choice, size }: Pick<Offer, 'plan' | 'size' | 'choice'>,
  held: Ticket,
  { nowMs }: { readonly nowMs: number },
): { candidates: Candidate[]; routing: Routing | null } {
  const candidates = candidatesOf({ plan, size }, held, nowMs);
  if (choice === undefined) return { candidates, routing: null };
  return {
    candidates: routedCandidates(candidates, choice, size, held),
    routing: routingOf(choice, held),
  };
}

function routedCandidates(
  candidates: readonly Candidate[],
  { routing }: Choice,
  size: HoldSize,
  held: Ticket,
): Candidate[] {
  const probed = held.candidates.find(({ probeUntilMs }) => probeUntilMs > 0);
  return candidates.map((candidate) => {
    const { modelId } = candidate;
    const sized = size.candidates.find(({ model }) => model.modelId === modelId);
    const planned = routing.candidates.find((one) => one.modelId === modelId);
    return {
      ...candidate,
      estimateNanoUsd: (sized?.costNanoUsd ?? size.costNanoUsd).toString(),
      timeouts: planned?.timeouts ?? null,
      // Asked for again: the hold has its probe still, and what this choice took is given back.
      probe: modelId === probed?.modelId,
    };
  });
}

function routingOf(choice: Choice, held: Ticket): Routing {
  const { routing, leftOut } = choice;
  const kept = held.candidates.map(({ modelId }) => modelId);
  return {
    policyId: routing.policyId,
    policyName: routing.name,
    strategy: routing.strategy,
    triggers: [...routing.triggers],
    totalTimeoutMs: routing.totalTimeoutMs,
    retries: routing.retries,
    hedgeAfterMs: routing.hedgeAfterMs,
    leftOut: [...leftOut, ...limited(choice, kept)],
  };
}

// Clocks of hosts differ a little. A model's first price begins when catalog's clock says so; a
// request that comes right after it must not be free because ours is behind.
const FIRST_PRICE_SLACK_MS = 5_000;

/** In effect at an instant. */
export function priceOf(model: ModelPlan, nowMs: number): PlannedPrice | undefined {
  const first = model.priceList.find(
    ({ effectiveFromMs }) => effectiveFromMs <= nowMs + FIRST_PRICE_SLACK_MS,
  );
  const price = priceAt(model.priceList, nowMs) ?? first;
  return price && model.prices.find((planned) => planned.price === price);
}
