import type { Allow, AuthorizeReply, AuthorizeRequest__Output } from '@tollgate/contracts/node';
import type { Clock } from '@tollgate/kit';

import {
  checkAccess,
  denialOf,
  itemNotFound,
  keyIsValid,
  limitStateOf,
  sizeOf,
  tightestFirst,
  type Issuer,
} from '../decide';
import { modelNamed, type Directory, type KeyPlan, type RoutingPlan } from '../directory';
import { Failure, invalidArgument, unavailable } from '../failure';
import { routingFor, whileChosen, type Choose } from '../routing';
import { UnansweredError, type AuthorizeOutcome, type Store } from '../store';
import { nextAction, storeTimeIn, type AskedHold } from './authorize-step';
import { authorizeCounters, countedLimits, heldLimits, readingsOf } from './counters';
import type { Epochs } from './epochs';
import type { HoldTokens } from './hold-token';
import type { Issuers } from './issuers';
import {
  connectionFor,
  modelOf,
  namesItems,
  offered,
  priceOf,
  readFor,
  storedIn,
  ticketOf,
  type Offer,
  type Offered,
} from './offer';
import { callNames, type Orphans } from './orphans';
import { pendingIn } from './pending';
import type { Seeded, SeedRequest } from './seeding';
import type { SoftLimits } from './soft-limits';
import { decodeTicket, encodeTicket, type Ticket } from './ticket';

export interface AuthorizeDeps {
  readonly directory: Pick<Directory, 'lookup' | 'drop'>;
  readonly store: Pick<Store, 'authorize'>;
  readonly epochs: Epochs;
  readonly seed: (request: SeedRequest) => Promise<Seeded>;
  readonly holdTokens: HoldTokens;
  readonly issuers: Pick<Issuers, 'find' | 'findItems'>;
  readonly orphans: Pick<Orphans, 'add'>;
  readonly softLimits: Pick<SoftLimits, 'note'>;
  readonly choose: Choose;
  readonly leaseMs: number;
  readonly clock: Clock;
}

interface Attempt extends Offer, AskedHold {}

/** The attempt's ticket and its encoding. */
interface EncodedTicket {
  readonly ticket: Ticket;
  readonly text: string;
}

// Limit of attempts of one request (cold counters, another epoch, a window's end, a lower bound).
const ROUNDS_MAX = 12;

/** Decides a request. When it is allowed, every hold it needs is taken, or none. */
export function createAuthorize(deps: AuthorizeDeps) {
  // The store's clock decides; ours is corrected by its latest reply.
  let offsetMs = 0;
  const nameCall = callNames();
  const nowMs = (): number => deps.clock.now() + offsetMs;
  const syncClock = (storeMs: number): void => {
    offsetMs = storeMs - deps.clock.now();
  };

  return async (
    request: AuthorizeRequest__Output,
    deadlineAtMs: number,
  ): Promise<AuthorizeReply> => {
    for (let contexts = 0; contexts < 3; contexts += 1) {
      const found = deps.directory.lookup(request.keySha256);
      const plan = found instanceof Promise ? await found : found;
      const routing = plan && routingFor(plan, request);
      const items =
        namesItems(request) && plan && keyIsValid(plan, nowMs())
          ? await deps.issuers.findItems(plan, request, { deadlineAtMs })
          : undefined;
      if (plan !== undefined && routing !== undefined) {
        if (items?.refused !== undefined) {
          return { denial: denialOf(itemNotFound(items.refused), plan.subject) };
        }
        const reply = await routed(request, plan, routing, deadlineAtMs);
        if (reply !== undefined) return reply;
        deps.directory.drop({ keySha256: request.keySha256 });
        continue;
      }
      const stored = storedIn(request).id !== '';
      const issuer = plan && stored ? await issuerOf(plan, request, deadlineAtMs) : undefined;
      const model = plan && modelOf(plan, request, issuer);
      const price = model && priceOf(model, nowMs());
      const refusal = checkAccess({ request, nowMs: nowMs(), plan, model, price, issuer, items });
      if (refusal !== undefined || plan === undefined || model === undefined) {
        if (refusal === undefined) throw new Error('a request without a model passed the checks');
        return { denial: denialOf(refusal, plan?.subject ?? null) };
      }
      const connectionVersion = connectionFor(model, issuer, items);
      const candidates = [{ model, price, connectionVersion }];
      const reply = await hold(
        request,
        plan,
        { candidates, readTokens: readFor(request, issuer, items) },
        deadlineAtMs,
      );
      if (reply?.allow && stored) reply.allow.pending = pendingIn(deps, plan, request, issuer);
      if (reply !== undefined) return reply;
      deps.directory.drop({ keySha256: request.keySha256 });
    }
    throw unavailable('catalog', 'the limits of this key keep changing');
  };

  /** `undefined`: as in hold. */
  async function routed(
    request: AuthorizeRequest__Output,
    plan: KeyPlan,
    routing: RoutingPlan,
    deadlineAtMs: number,
  ): Promise<AuthorizeReply | undefined> {
    const atMs = nowMs();
    const model = modelNamed(plan, request.model);
    const chosen = await deps.choose(routing, {
      request,
      nowMs: atMs,
      plan,
      model,
      price: model && priceOf(model, atMs),
      priceOf: (candidate) => priceOf(candidate, atMs),
    });
    if ('refusal' in chosen) return { denial: denialOf(chosen.refusal, plan.subject) };
    const { choice } = chosen;
    return await whileChosen(choice, (onHeld) =>
      hold(request, plan, { candidates: choice.candidates, choice, onHeld }, deadlineAtMs),
    );
  }

  // Only for valid keys: other callers must not learn what exists.
  async function issuerOf(
    plan: KeyPlan,
    request: AuthorizeRequest__Output,
    deadlineAtMs: number,
  ): Promise<Issuer | undefined> {
    if (!keyIsValid(plan, nowMs())) return undefined;
    const { id, renew } = storedIn(request);
    return await deps.issuers.find(plan, id, { deadlineAtMs, renew });
  }

  // An unanswered call may have taken a hold that nobody will settle.
  async function ask(
    { request, plan, limits }: Attempt,
    { ticket, text }: EncodedTicket,
  ): Promise<AuthorizeOutcome> {
    const attempt = nameCall();
    try {
      return await deps.store.authorize({
        shard: plan.shard,
        epoch: deps.epochs.of(plan.shard),
        requestId: request.requestId,
        ticketText: text,
        attempt,
        leaseMs: deps.leaseMs,
        counters: authorizeCounters(limits),
      });
    } catch (error) {
      if (error instanceof UnansweredError) deps.orphans.add(request.requestId, ticket, attempt);
      throw error;
    }
  }

  /** `undefined`: the plan names limits that no longer exist; read it again. */
  async function hold(
    request: AuthorizeRequest__Output,
    plan: KeyPlan,
    { candidates, choice, onHeld, readTokens = 0 }: Offered,
    deadlineAtMs: number,
  ): Promise<AuthorizeReply | undefined> {
    let size = sizeOf(request, candidates, {
      outputBoundUnsent: plan.outputBoundUnsent,
      readTokens,
    });
    let clamped = false;
    let deniedBefore = false;
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      if (deps.clock.now() > deadlineAtMs) break;
      const counted = countedLimits(size.candidates);
      const limits = heldLimits(counted, size, nowMs(), plan.timeZone);
      const base = { request, plan, choice, size, clamped, counted, limits };
      const attempt: Attempt = { ...base, deniedBefore };
      const ticket = ticketOf(attempt);
      const encoded: EncodedTicket = { ticket, text: encodeTicket(ticket) };
      const outcome = await ask(attempt, encoded);
      const storeMs = storeTimeIn(outcome);
      if (storeMs !== undefined) syncClock(storeMs);
      let action = nextAction(attempt, outcome);
      deniedBefore ||= outcome.kind === 'DENY';
      if (action.kind === 'SEED' && !action.required) {
        if (await seedQuietly(attempt, action.limitIds, deadlineAtMs)) continue;
        action = nextAction({ ...attempt, deniedBefore }, outcome);
      }
      switch (action.kind) {
        case 'ALLOW': {
          const reply = { allow: allow(attempt, encoded, action.outcome) };
          if (!action.outcome.already) onHeld?.(ticket.candidates.map(({ modelId }) => modelId));
          return reply;
        }
        case 'DENY':
          return action.reply;
        case 'RESIZE':
          size = action.size;
          clamped ||= action.clamped;
          break;
        case 'SEED': {
          const { gone } = await seedLimits(attempt, action.limitIds, deadlineAtMs);
          if (gone.length > 0) return undefined;
          break;
        }
        case 'FOLLOW_EPOCH':
          await deps.epochs.follow(plan.shard, action.outcome);
          break;
        case 'ASK_AGAIN':
          break;
        case 'FAIL':
          throw action.failure;
      }
    }
    throw new Failure('DEADLINE_EXCEEDED', 'the request could not be decided in time', 'redis');
  }

  function allow(
    attempt: Attempt,
    encoded: EncodedTicket,
    outcome: AuthorizeOutcome & { kind: 'ALLOW' },
  ): Allow {
    const { plan, request } = attempt;
    // A repeated request keeps the ticket of the first one.
    const held = outcome.already ? decodeTicket(outcome.ticketText) : encoded.ticket;
    if (held.subject.apiKeyId !== plan.subject.apiKeyId) {
      throw invalidArgument('request_id: in use by another request');
    }
    if (outcome.softExceeded.length > 0) {
      const { organisationId } = plan;
      deps.softLimits.note({ ...outcome, organisationId, limits: held.limits });
    }
    const text = outcome.already ? outcome.ticketText : encoded.text;
    const readings = readingsOf(held.limits, outcome.states, (limit) => limit.held);
    return {
      holdToken: deps.holdTokens.write(request.requestId, {
        ticket: held,
        text,
        authorisedAtMs: outcome.nowMs,
        leaseUntilMs: outcome.leaseUntilMs,
      }),
      leaseUntilMs: outcome.leaseUntilMs,
      subject: plan.subject,
      ...offered(attempt, held, outcome),
      limits: tightestFirst(readings).map(limitStateOf),
      softExceeded: outcome.softExceeded,
      heldNanoUsd: held.heldNanoUsd.toString(),
      clamped: held.clamped,
      tellUpstreamModel: plan.tellUpstreamModel,
      leaseMs: deps.leaseMs,
      readTokens: attempt.size.candidates[0]?.readTokens ?? 0,
    };
  }

  function seedLimits(attempt: Attempt, ids: readonly string[], deadlineAtMs: number) {
    const { plan, limits } = attempt;
    return deps.seed({
      shard: plan.shard,
      organisationId: plan.organisationId,
      limits: limits.filter(({ limitId }) => ids.includes(limitId)),
      deadlineAtMs,
    });
  }

  // The refusal is certain; cold counters only complete its figures, so it does not depend on them.
  async function seedQuietly(
    attempt: Attempt,
    ids: readonly string[],
    deadlineAtMs: number,
  ): Promise<boolean> {
    try {
      await seedLimits(attempt, ids, deadlineAtMs);
      return true;
    } catch (error) {
      if (error instanceof Failure) return false;
      throw error;
    }
  }
}
