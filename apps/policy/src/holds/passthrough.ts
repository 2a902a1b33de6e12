import { passthroughCost, passthroughRoute, passthroughUnits } from '@tollgate/contracts';
import type { PassthroughCall__Output, PassthroughTarget } from '@tollgate/contracts/node';

import type { HoldSize, PassthroughPlace } from '../decide';
import { passthroughLimits, type KeyPlan, type PlannedLimit } from '../directory';
import { unavailable } from '../failure';
import type { Ticket, TicketCandidate } from './ticket';

// A hold of a request that goes to a provider as it is: no tokens, the price of the call, and that of the most bytes
// that the rule lets through.

export interface PassthroughOffer extends PassthroughPlace {
  readonly size: HoldSize;
  readonly limits: readonly PlannedLimit[];
}

export function passthroughOffer(
  call: PassthroughCall__Output,
  plan: KeyPlan,
  place: PassthroughPlace,
): PassthroughOffer {
  const { rule } = place;
  const { maxRequestBytes, maxResponseBytes } = rule;
  const requestBytes = call.unknownLength ? maxRequestBytes : call.requestBytes;
  return {
    ...place,
    size: {
      inputTokens: 0,
      audioInputTokens: 0,
      choices: 1,
      textOutput: true,
      units: passthroughUnits(requestBytes, maxResponseBytes),
      candidates: [],
      heldOutputTokens: 0,
      costNanoUsd: passthroughCost(rule, requestBytes, maxResponseBytes),
    },
    limits: passthroughLimits(plan),
  };
}

/**
 * What the ticket of such a request says beside its size. The record has the rule's path instead of the request's.
 * A policy of an earlier release reads and ends the hold, because the ticket has the usual shape.
 */
export function passthroughTicket({
  provider,
  rule,
}: PassthroughPlace): Pick<Ticket, 'route' | 'candidates'> {
  const { connectionVersion, providerId } = provider.entry;
  const candidate: TicketCandidate = {
    modelId: '',
    modelName: '',
    providerId,
    connectionVersion,
    priceId: '',
    outputBound: 0,
    heldOutputTokens: 0,
    inSteps: false,
    probeUntilMs: 0,
  };
  return { route: passthroughRoute(rule), candidates: [candidate] };
}

/**
 * What a held request may call. A repeated request keeps the hold of the first one: throws when its rule is gone since,
 * or has another price.
 */
export function passthroughTarget(
  { provider, rule, size }: PassthroughOffer,
  held: Ticket,
): PassthroughTarget {
  const { entry } = provider;
  const same =
    held.candidates[0]?.providerId === entry.providerId &&
    held.route === passthroughRoute(rule) &&
    held.heldNanoUsd === size.costNanoUsd;
  if (!same) throw unavailable('catalog', 'the passthrough rule of this request has changed');
  return {
    providerId: entry.providerId,
    providerName: entry.name,
    providerType: entry.providerType,
    upstreamFormat: entry.upstreamFormat,
    connectionVersion: entry.connectionVersion,
    region: entry.region,
    rule,
  };
}
