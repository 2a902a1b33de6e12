import { priceAt } from '@tollgate/contracts';
import type { AuthorizeRequest__Output, Candidate, Routing } from '@tollgate/contracts/node';

import { type CandidateModel, type HoldSize, type Issuer, dearestOutputPrice } from '../decide';
import type { Choice } from '../routing';
import type { KeyPlan, ModelPlan, PlannedPrice } from '../directory';
import { unavailable } from '../failure';
import type { HeldLimit, Ticket } from './ticket';

// What is promised to an allowed request: its model and the price of it, the ticket that is kept of
// it, and the candidates that the caller may send it to.

export interface Offer {
  readonly request: AuthorizeRequest__Output;
  readonly plan: KeyPlan;
  readonly size: HoldSize;
  readonly clamped: boolean;
  readonly limits: readonly HeldLimit[];
}

/** The candidates of a request, and what made them so. */
export interface Offered {
  readonly candidates: readonly CandidateModel[];
  readonly choice?: Choice;
  /** Called once, when the request is allowed with just these. */
  readonly keep?: () => void;
}

// A continued response may go on with the model it was made with, where the request names none.
export function modelOf(
  plan: KeyPlan,
  request: AuthorizeRequest__Output,
  issuer: Issuer | undefined,
): ModelPlan | undefined {
  if (request.model === '' && issuer !== undefined) return plan.modelsById.get(issuer.modelId);
  return plan.models.get(request.model);
}

export function ticketOf({ request, plan, size, clamped, limits }: Offer): Ticket {
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
    candidates: size.candidates.map(({ model, price, connectionVersion, ...sized }) => ({
      modelId: model.modelId,
      modelName: model.name,
      providerId: model.entry.providerId,
      connectionVersion,
      priceId: price?.price.priceId ?? '',
      outputBound: sized.outputBound,
      heldOutputTokens: sized.heldOutputTokens,
      inSteps: sized.inSteps,
    })),
    limits,
  };
}

function candidatesOf(plan: KeyPlan, ticket: Ticket, nowMs: number): Candidate[] {
  const candidates: Candidate[] = [];
  for (const held of ticket.candidates) {
    const model = plan.modelsById.get(held.modelId);
    if (model === undefined) continue;
    const { entry } = model;
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
    });
  }
  if (candidates.length === 0) throw unavailable('catalog', 'the model of this request is gone');
  return candidates;
}

/** What an allowed request may be sent to, and how its candidates are to be tried. */
export function offered(
  { plan, choice, size }: Pick<Offer, 'plan' | 'size'> & { readonly choice: Choice | undefined },
  held: Ticket,
  { already, nowMs }: { readonly already: boolean; readonly nowMs: number },
): { candidates: Candidate[]; routing: Routing | null } {
  const candidates = candidatesOf(plan, held, nowMs);
  if (choice === undefined) return { candidates, routing: null };
  return {
    candidates: routedCandidates(candidates, choice, size, already),
    routing: routingOf(choice, held),
  };
}

function routedCandidates(
  candidates: readonly Candidate[],
  { routing, probedModelId }: Choice,
  size: HoldSize,
  already: boolean,
): Candidate[] {
  return candidates.map((candidate) => {
    const { modelId } = candidate;
    const sized = size.candidates.find(({ model }) => model.modelId === modelId);
    const planned = routing.candidates.find((one) => one.modelId === modelId);
    return {
      ...candidate,
      estimateNanoUsd: (sized?.costNanoUsd ?? size.costNanoUsd).toString(),
      timeouts: planned?.timeouts ?? null,
      // Asked for again: the probe has been given back.
      probe: !already && modelId === probedModelId,
    };
  });
}

function routingOf({ routing, leftOut, candidates }: Choice, held: Ticket): Routing {
  const tried = new Set(held.candidates.map(({ modelId }) => modelId));
  const limited = candidates.filter(({ model }) => !tried.has(model.modelId));
  return {
    policyId: routing.policyId,
    policyName: routing.name,
    strategy: routing.strategy,
    triggers: [...routing.triggers],
    totalTimeoutMs: routing.totalTimeoutMs,
    retries: routing.retries,
    hedgeAfterMs: routing.hedgeAfterMs,
    leftOut: [
      ...leftOut,
      ...limited.map(({ model: { modelId, name } }) => ({
        modelId,
        modelName: name,
        reason: 'limit_reached',
        untilMs: 0,
      })),
    ],
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
