import { limitIdOf } from '@tollgate/contracts';
import type { Allow, ScreeningRef, Shadow } from '@tollgate/contracts/node';

import { limitStateOf, screeningOf, shadowOf, tightestFirst } from '../decide';
import { invalidArgument } from '../failure';
import type { Decided } from './ask';
import type { AskedHold } from './authorize-step';
import { readingsOf } from './counters';
import type { HoldTokens } from './hold-token';
import { offered, priceOf, type Offer } from './offer';
import type { SoftLimits } from './soft-limits';
import { decodeTicket, type Ticket } from './ticket';

export interface AllowDeps {
  readonly holdTokens: Pick<HoldTokens, 'write'>;
  readonly softLimits: Pick<SoftLimits, 'note'>;
  readonly leaseMs: number;
}

export interface Attempt extends Offer, AskedHold {}

/** The attempt's ticket and its encoding. */
export interface EncodedTicket {
  readonly ticket: Ticket;
  readonly text: string;
}

/** The reply to an allowed request. Throws when another key's request has its id. */
export function allow(
  deps: AllowDeps,
  attempt: Attempt,
  encoded: EncodedTicket,
  outcome: Decided & { kind: 'ALLOW' },
): Allow {
  const { plan, request } = attempt;
  // A repeated request keeps the ticket of the first one.
  const held = outcome.already ? decodeTicket(outcome.ticketText) : encoded.ticket;
  if (held.subject.apiKeyId !== plan.subject.apiKeyId) {
    throw invalidArgument('request_id: in use by another request');
  }
  if (outcome.softExceeded.length > 0) {
    const { organisationId } = plan;
    const { requestId } = request;
    deps.softLimits.note({ ...outcome, organisationId, requestId, limits: held.limits });
  }
  const text = outcome.already ? outcome.ticketText : encoded.text;
  const { floatId = '' } = outcome;
  const readings = readingsOf(held.limits, outcome.states, (limit) => limit.held);
  return {
    holdToken: deps.holdTokens.write(request.requestId, {
      ticket: held,
      text,
      authorisedAtMs: outcome.nowMs,
      leaseUntilMs: outcome.leaseUntilMs,
      floatId,
    }),
    leaseUntilMs: outcome.leaseUntilMs,
    subject: plan.subject,
    ...offered(attempt, held, outcome),
    limits: tightestFirst(readings).map(limitStateOf),
    softExceeded: outcome.softExceeded.map(limitIdOf),
    heldNanoUsd: held.heldNanoUsd.toString(),
    clamped: held.clamped,
    tellUpstreamModel: plan.tellUpstreamModel,
    traceContent: plan.traceContent,
    responseCache: plan.responseCache ?? null,
    keptBodies: plan.keptBodies ?? null,
    leaseMs: deps.leaseMs,
    readTokens: attempt.size.candidates[0]?.readTokens ?? 0,
    screening: screeningFor(attempt, held),
    attribution: attempt.attribution,
    retirement: attempt.retirement ?? null,
    experiment: attempt.arm ?? null,
    shadow: shadowFor(attempt, outcome.nowMs),
    floatId,
  };
}

function shadowFor({ arm, plan, request }: Attempt, nowMs: number): Shadow | null {
  if (arm?.experimentId === undefined) return null;
  return shadowOf({ request, plan, nowMs, priceOf }, arm.experimentId) ?? null;
}

// A stored object has what its own model wrote, even where another model of the provider reaches it.
function screeningFor({ issuer, plan, request }: Attempt, held: Ticket): ScreeningRef[] {
  const stored = request.storedId === '' ? undefined : issuer;
  const { screening } = plan.organisation;
  return screeningOf(
    screening,
    plan.client ?? plan.subject,
    held.candidates,
    stored,
    held.mcp?.serverId,
  );
}
