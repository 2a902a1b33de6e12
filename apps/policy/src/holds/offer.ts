import { CONVERSATION_OPERATIONS, isFreeOperation, isOneOf, priceAt } from '@tollgate/contracts';
import type {
  Allow,
  Attribution,
  AuthorizeRequest__Output,
  Candidate,
  ExperimentArm,
  Retirement,
  Routing,
} from '@tollgate/contracts/node';

import {
  dearestOutputPrice,
  heldTools,
  isUnplaced,
  modelForConversation,
  regionAt,
  STEP_TOKENS,
  tiersAsked,
  type CandidateModel,
  type HoldSize,
  type Issuer,
  type StoredItems,
} from '../decide';
import {
  modelsOf,
  modelWithId,
  type AskedModel,
  type KeyPlan,
  type ModelPlan,
  type PlannedPrice,
} from '../directory';
import { unavailable } from '../failure';
import type { Choice } from '../routing';
import { limited } from './denied';
import { heldTarget, ticketMcp, type McpOffer } from './mcp';
import { passthroughTarget, passthroughTicket, type PassthroughOffer } from './passthrough';
import type { HeldLimit, Ticket } from './ticket';

// What an allowed request gets: its model and price, the ticket, and the candidates that the caller
// may try.

export interface Offer {
  readonly request: AuthorizeRequest__Output;
  readonly plan: KeyPlan;
  readonly size: HoldSize;
  readonly clamped: boolean;
  readonly limits: readonly HeldLimit[];
  /** The routing policy's choice; undefined: the only candidate is the requested model. */
  readonly choice: Choice | undefined;
  /** What made the stored object that the request names. */
  readonly issuer?: Issuer | undefined;
  /** Absent: the request is for a model. */
  readonly mcp?: McpOffer | undefined;
  /** Absent: the request is not passed through as it is. */
  readonly passthrough?: PassthroughOffer | undefined;
  /** Whom the request is for; null: it names nobody. */
  readonly attribution: Attribution | null;
  /** What was announced of the name that the request asked for. */
  readonly retirement?: Retirement | undefined;
  /** Absent: the request takes part in no experiment. */
  readonly arm?: ExperimentArm | undefined;
}

/** The candidates of a request and how they were chosen. */
export interface Offered {
  readonly candidates: readonly CandidateModel[];
  readonly choice?: Choice;
  readonly issuer?: Issuer | undefined;
  /** Stored tokens that the provider reads beside the request's own input. */
  readonly readTokens?: number;
  /** Called once, when this request's holds are taken, with the models of its candidates. */
  readonly onHeld?: (modelIds: readonly string[]) => void;
  readonly mcp?: McpOffer;
  readonly passthrough?: PassthroughOffer;
  readonly retirement?: Retirement | undefined;
  readonly arm?: ExperimentArm | undefined;
}

// A continued response uses the model that made it when the request names none.
export function modelOf(
  plan: KeyPlan,
  request: AuthorizeRequest__Output,
  issuer: Issuer | undefined,
  { named, nowMs }: { readonly named: AskedModel; readonly nowMs: number },
): ModelPlan | undefined {
  if (isUnplaced(request)) return modelForConversation(plan, request, nowMs);
  if (request.model !== '' || issuer === undefined) return named.model;
  const model = modelWithId(plan, issuer.modelId);
  if (model !== undefined || request.storedId === '') return model;
  // The model is gone but its stored object exists: any model of the provider reaches it.
  return modelsOf(plan).find(({ entry }) => entry.providerId === issuer.providerId);
}

/**
 * The stored object that a request reads, changes or continues; an empty id: none. `renew`: the object
 * is a conversation, which its provider keeps until it is deleted, so each use keeps its row longer.
 */
export function storedIn(request: AuthorizeRequest__Output): { id: string; renew: boolean } {
  const { conversationId, operation, previousResponseId, storedId } = request;
  const renew = conversationId !== '' || isOneOf(CONVERSATION_OPERATIONS, operation);
  return { id: storedId || previousResponseId || conversationId, renew };
}

/** Whether the input names items by their ids. */
export function namesItems({ itemIds, replayedItemIds }: AuthorizeRequest__Output): boolean {
  return itemIds.length > 0 || replayedItemIds.length > 0;
}

/** Stored tokens that the provider reads for this request beside its own input. */
export function readFor(
  { operation }: AuthorizeRequest__Output,
  issuer: Issuer | undefined,
  items: StoredItems | undefined,
): number {
  if (isFreeOperation(operation)) return 0;
  return (issuer?.readTokens ?? 0) + (items?.readTokens ?? 0);
}

export function ticketOf(offer: Offer): Ticket {
  const { request, plan, size, clamped, limits, choice, mcp, passthrough, arm } = offer;
  const ticket: Ticket = {
    shard: plan.shard,
    keySha256: request.keySha256,
    subject: plan.subject,
    timeZone: plan.timeZone,
    operation: request.operation,
    route: request.route,
    // The record of a shadow that is abandoned still says whose it is.
    clientRequestId: request.shadowOf || request.clientRequestId,
    inputTokens: size.inputTokens,
    audioInputTokens: size.audioInputTokens,
    units: size.units ?? {},
    choices: size.choices,
    heldOutputTokens: size.heldOutputTokens,
    heldNanoUsd: size.costNanoUsd,
    outputPrice: dearestOutputPrice(size),
    clamped,
    step: 0,
    // Field by field: spreading an object would take longer than the rest of this function.
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
    arm: arm && { experimentId: arm.experimentId ?? '', arm: arm.arm ?? '' },
  };
  if (passthrough !== undefined) return { ...ticket, ...passthroughTicket(passthrough) };
  return mcp === undefined ? ticket : { ...ticket, mcp: ticketMcp(mcp) };
}

function candidatesOf(
  { plan, request, size }: Pick<Offer, 'plan' | 'request' | 'size'>,
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
      // A repeated request may have been sized for other models than those that its first one holds.
      maxToolCalls: sized?.maxToolCalls ?? heldTools(request, model, price).maxCalls,
      // A budget that lowers the bound must be obeyed by the provider.
      outputBoundUnsent: sized?.boundUnsent === true && sized.outputBound === held.outputBound,
      nativeResponses: entry.nativeResponses,
      region: regionAt(model, held.connectionVersion),
      outputStepTokens: held.inSteps ? STEP_TOKENS : 0,
      serviceTier: sized?.serviceTier ?? tiersAsked(request, model),
    });
  }
  if (candidates.length === 0) throw unavailable('catalog', 'the model of this request is gone');
  return candidates;
}

/** What an allowed request may call: the candidates and how to try them, or an MCP server. */
export function offered(
  {
    plan,
    request,
    choice,
    passthrough,
    size,
  }: Pick<Offer, 'plan' | 'request' | 'size' | 'choice' | 'passthrough'>,
  held: Ticket,
  { nowMs }: { readonly nowMs: number },
): Pick<Allow, 'candidates' | 'routing' | 'mcp' | 'passthrough'> {
  if (held.mcp !== undefined) return { candidates: [], mcp: heldTarget(plan, held.mcp) };
  if (passthrough !== undefined) {
    return { candidates: [], passthrough: passthroughTarget(passthrough, held) };
  }
  const candidates = candidatesOf({ plan, request, size }, held, nowMs);
  if (choice === undefined) return { candidates, routing: null };
  return {
    candidates: routedCandidates(candidates, choice, size, held),
    routing: { ...routingOf(choice, held), ...firstOf(choice, candidates, plan, nowMs) },
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
      // A repeated request still has its probe; the probe of this choice is given back.
      probe: modelId === probed?.modelId,
    };
  });
}

function routingOf(choice: Choice, held: Ticket): Routing {
  const { routing, leftOut, rememberPlace } = choice;
  const kept = held.candidates.map(({ modelId }) => modelId);
  return {
    policyId: routing.policyId,
    policyName: routing.name,
    rememberPlace,
    strategy: routing.strategy,
    triggers: [...routing.triggers],
    totalTimeoutMs: routing.totalTimeoutMs,
    retries: routing.retries,
    hedgeAfterMs: routing.hedgeAfterMs,
    leftOut: [...leftOut, ...limited(choice, kept)],
  };
}

/** With its price, if no candidate has it: what it would have cost may have to be told all the same. */
function firstOf(
  { firstModelId }: Choice,
  candidates: readonly Candidate[],
  plan: KeyPlan,
  nowMs: number,
): Pick<Routing, 'firstModelId' | 'firstPrice'> {
  if (candidates.some(({ modelId }) => modelId === firstModelId)) return { firstModelId };
  const model = modelWithId(plan, firstModelId);
  return { firstModelId, firstPrice: (model && priceOf(model, nowMs)?.wire) ?? null };
}

// Clocks of hosts differ slightly. A model's first price starts by the catalog's clock; a request
// right after it must not be free because our clock is behind.
const FIRST_PRICE_SLACK_MS = 5_000;

/** The price in effect at an instant. */
export function priceOf(model: ModelPlan, nowMs: number): PlannedPrice | undefined {
  const first = model.priceList.find(
    ({ effectiveFromMs }) => effectiveFromMs <= nowMs + FIRST_PRICE_SLACK_MS,
  );
  const price = priceAt(model.priceList, nowMs) ?? first;
  return price && model.prices.find((planned) => planned.price === price);
}
