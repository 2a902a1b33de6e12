import type { Allow, AuthorizeReply, AuthorizeRequest__Output } from '@tollgate/contracts/node';
import type { Clock } from '@tollgate/kit';

import {
  type Issuer,
  checkAccess,
  denialOf,
  keyIsValid,
  limitStateOf,
  sizeOf,
  tightestFirst,
} from '../decide';
import {
  type Directory,
  type KeyPlan,
  type PlannedLimit,
  type RoutingPlan,
  modelNamed,
} from '../directory';
import { Failure, invalidArgument, unavailable } from '../failure';
import { type Choose, routingFor, whileChosen } from '../routing';
import { type AuthorizeOutcome, type Store, UnansweredError } from '../store';
import { authorizeCounters, countedLimits, heldLimits, readingsOf } from './counters';
import { deny, lower, withoutUnfit } from './denied';
import type { Epochs } from './epochs';
import type { Issuers } from './issuers';
import { type Orphans, callNames } from './orphans';
import type { SeedRequest, Seeded } from './seeding';
import { type Offer, type Offered, modelOf, offered, priceOf, storedIn, ticketOf } from './offer';
import { pendingIn } from './pending';
import type { SoftLimits } from './soft-limits';
import { type Ticket, decodeTicket, encodeTicket } from './ticket';
import type { HoldTokens } from './token';

export interface AuthorizeDeps {
  readonly directory: Pick<Directory, 'lookup' | 'drop'>;
  readonly store: Pick<Store, 'authorize'>;
  readonly epochs: Epochs;
  readonly seed: (request: SeedRequest) => Promise<Seeded>;
  readonly tokens: HoldTokens;
  readonly issuers: Pick<Issuers, 'find'>;
  readonly orphans: Pick<Orphans, 'add'>;
  readonly softLimits: Pick<SoftLimits, 'note'>;
  readonly choose: Choose;
  readonly leaseMs: number;
  readonly clock: Clock;
}

/** What the loop below knows of a request that has passed every check but the limits. */
interface Attempt extends Offer {
  readonly counted: readonly PlannedLimit[];
}

/** The attempt's ticket, and as it lies in the store. */
interface Written {
  readonly ticket: Ticket;
  readonly text: string;
}

type Answer = { readonly reply: AuthorizeReply } | { readonly again: 'same' | 'context' };

// How often one request may have to ask again (cold counters, another epoch, midnight, a lowered
// bound) before the service is said to be broken.
const ROUNDS_MAX = 12;

/** Decides a request and, when it is allowed, takes every hold it needs or none of them. */
export function createAuthorize(deps: AuthorizeDeps) {
  // The store's clock decides; ours is corrected by what it said last.
  let offsetMs = 0;
  const nameCall = callNames();
  const nowMs = (): number => deps.clock.now() + offsetMs;
  const hear = (storeMs: number): void => {
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
      if (plan !== undefined && routing !== undefined) {
        const reply = await routed(request, plan, routing, deadlineAtMs);
        if (reply !== undefined) return reply;
        deps.directory.drop({ keySha256: request.keySha256 });
        continue;
      }
      const stored = storedIn(request).id !== '';
      const issuer = plan && stored ? await issuerOf(plan, request, deadlineAtMs) : undefined;
      const model = plan && modelOf(plan, request, issuer);
      const price = model && priceOf(model, nowMs());
      const refusal = checkAccess({ request, nowMs: nowMs(), plan, model, price, issuer });
      if (refusal !== undefined || plan === undefined || model === undefined) {
        if (refusal === undefined) throw new Error('a request without a model passed the checks');
        return { denial: denialOf(refusal, plan?.subject ?? null) };
      }
      const connectionVersion = issuer?.connectionVersion ?? model.entry.connectionVersion;
      const candidates = [{ model, price, connectionVersion }];
      const reply = await hold(request, plan, { candidates }, deadlineAtMs);
      if (reply?.allow && stored) reply.allow.pending = pendingIn(deps, plan, request, issuer);
      if (reply !== undefined) return reply;
      deps.directory.drop({ keySha256: request.keySha256 });
    }
    throw unavailable('catalog', 'the limits of this key keep changing');
  };

  /** `undefined`: as of hold. */
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
    return await whileChosen(choice, (keep) =>
      hold(request, plan, { candidates: choice.candidates, choice, keep }, deadlineAtMs),
    );
  }

  // Only for a key that is valid: of what exists nobody else learns anything.
  async function issuerOf(
    plan: KeyPlan,
    request: AuthorizeRequest__Output,
    deadlineAtMs: number,
  ): Promise<Issuer | undefined> {
    if (!keyIsValid(plan, nowMs())) return undefined;
    const { id, renew } = storedIn(request);
    return await deps.issuers.find(plan, id, { deadlineAtMs, renew });
  }

  // What is known to have failed unanswered may have taken the hold; nobody will ever settle it.
  async function ask(
    { request, plan, limits }: Attempt,
    { ticket, text }: Written,
  ): Promise<AuthorizeOutcome> {
    const attempt = nameCall();
    try {
      return await deps.store.authorize({
        shard: plan.shard,
        epoch: deps.epochs.of(plan.shard),
        requestId: request.requestId,
        token: text,
        attempt,
        leaseMs: deps.leaseMs,
        counters: authorizeCounters(limits),
      });
    } catch (error) {
      if (error instanceof UnansweredError) deps.orphans.add(request.requestId, ticket, attempt);
      throw error;
    }
  }

  /** `undefined`: the plan names limits that no longer exist; read it anew. */
  async function hold(
    request: AuthorizeRequest__Output,
    plan: KeyPlan,
    { candidates, choice, keep }: Offered,
    deadlineAtMs: number,
  ): Promise<AuthorizeReply | undefined> {
    let size = sizeOf(request, candidates, plan.outputBoundUnsent);
    let clamped = false;
    let seededFor402 = false;
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      if (deps.clock.now() > deadlineAtMs) break;
      const counted = countedLimits(size.candidates);
      const limits = heldLimits(counted, size, nowMs(), plan.timeZone);
      const attempt: Attempt = { request, plan, choice, size, clamped, counted, limits };
      const ticket = ticketOf(attempt);
      const written: Written = { ticket, text: encodeTicket(ticket) };
      const outcome = await ask(attempt, written);
      if (outcome.kind === 'DENY') {
        hear(outcome.nowMs);
        const coldIds = seededFor402 ? [] : outcome.coldLimitIds;
        seededFor402 = true;
        if (coldIds.length > 0 && (await seedQuietly(attempt, coldIds, deadlineAtMs))) continue;
        const fewer = withoutUnfit(attempt, outcome);
        const lowered = fewer ?? lower(attempt, outcome);
        if (lowered === undefined) return deny(attempt, outcome);
        size = lowered;
        clamped ||= fewer === undefined;
        continue;
      }
      const answer = await follow(attempt, written, outcome, deadlineAtMs);
      if ('reply' in answer) {
        if (outcome.kind === 'ALLOW' && !outcome.already) {
          keep?.(ticket.candidates.map(({ modelId }) => modelId));
        }
        return answer.reply;
      }
      if (answer.again === 'context') return undefined;
    }
    throw new Failure('DEADLINE_EXCEEDED', 'the request could not be decided in time', 'redis');
  }

  async function follow(
    attempt: Attempt,
    written: Written,
    outcome: Exclude<AuthorizeOutcome, { kind: 'DENY' }>,
    deadlineAtMs: number,
  ): Promise<Answer> {
    const { plan } = attempt;
    switch (outcome.kind) {
      case 'ALLOW':
        return { reply: { allow: allow(attempt, written, outcome) } };
      case 'COLD': {
        const { gone } = await seedLimits(attempt, outcome.limitIds, deadlineAtMs);
        return { again: gone.length > 0 ? 'context' : 'same' };
      }
      case 'CLOCK':
        hear(outcome.nowMs);
        return { again: 'same' };
      case 'EPOCH':
        await deps.epochs.follow(plan.shard, outcome);
        return { again: 'same' };
      case 'CLOSED':
        throw unavailable('redis', 'the shard is closed for a moment after a loss of data');
      case 'LEDGER_FULL':
        throw new Failure(
          'RESOURCE_EXHAUSTED',
          `${String(outcome.undrained)} ledger entries wait for the catalog`,
          'catalog',
        );
      case 'ENDED':
        throw invalidArgument(`request_id: this request has ended (${outcome.state})`);
    }
  }

  function allow(
    attempt: Attempt,
    written: Written,
    outcome: AuthorizeOutcome & { kind: 'ALLOW' },
  ): Allow {
    const { plan, request } = attempt;
    // Asked for again: what was promised the first time holds.
    const held = outcome.already ? decodeTicket(outcome.token) : written.ticket;
    if (held.subject.apiKeyId !== plan.subject.apiKeyId) {
      throw invalidArgument('request_id: in use by another request');
    }
    if (!outcome.already) hear(outcome.nowMs);
    if (outcome.softExceeded.length > 0) {
      const { organisationId } = plan;
      deps.softLimits.note({ ...outcome, organisationId, limits: held.limits });
    }
    const text = outcome.already ? outcome.token : written.text;
    const readings = readingsOf(held.limits, outcome.states, (limit) => limit.held);
    return {
      holdToken: deps.tokens.write(request.requestId, {
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

  // A refusal that is certain already is only made more exact by the counters that are still cold,
  // so it does not depend on them.
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
