import { dearestOutput, heldPrice, SHADOW_SUBJECT } from '@tollgate/contracts';
import type { ExtendReply, ExtendRequest__Output } from '@tollgate/contracts/node';
import type { Clock } from '@tollgate/kit';

import { denialOf, keyIsValid, refuseByLimits, stepCost } from '../decide';
import { modelWithId, type Directory, type KeyPlan } from '../directory';
import { Failure, unavailable } from '../failure';
import type { FloatExtension, Floats } from '../floats';
import type { ExtendItem, ExtendOutcome, Store } from '../store';
import { AGAIN_MS, PATIENCE_MS, type Caller } from './ask';
import { extendCounters, grownLimits, presentLimits, readingsOf, type Further } from './counters';
import type { Epochs } from './epochs';
import type { HeldTicket, HoldTokens } from './hold-token';
import { reported } from './in-memory';
import type { Issuers } from './issuers';
import type { Seeded, SeedRequest } from './seeding';
import { encodeTicket, type Ticket } from './ticket';

export interface ExtendDeps {
  readonly directory: Pick<Directory, 'lookup'>;
  readonly store: Pick<Store, 'extend'>;
  readonly epochs: Epochs;
  readonly seed: (request: SeedRequest) => Promise<Seeded>;
  readonly holdTokens: HoldTokens;
  /** Absent: no hold is in memory. */
  readonly floats?: Pick<Floats, 'drop' | 'extend'> | undefined;
  readonly issuers: Pick<Issuers, 'pending'>;
  readonly leaseMs: number;
  readonly wait: (ms: number) => Promise<void>;
  readonly clock: Clock;
}

interface Step {
  readonly requestId: string;
  readonly held: HeldTicket;
  /** The current hold, with the current values of its limits. */
  readonly ticket: Ticket;
  /** The hold after the step. */
  readonly next: Ticket;
  readonly text: string;
}

const ROUNDS_MAX = 12;
/** A post of every hold takes milliseconds; the rest of the deadline is the store's. */
const KEPT_WITHIN_MS = 250;

/** Moves a hold's lease, adds a step to it, or takes a lost hold again. */
export function createExtend(deps: ExtendDeps) {
  return async (
    request: ExtendRequest__Output,
    deadlineAtMs: number,
    caller?: Caller,
  ): Promise<ExtendReply> => {
    const held = deps.holdTokens.read(request.requestId, request.holdToken);
    const plan = await planNow(deps, held.ticket);
    if (deps.clock.now() > deadlineAtMs) throw tooLate('catalog');
    const revoked =
      plan === 'unknown' || (plan !== undefined && !keyIsValid(plan, deps.clock.now()));
    // A revoked key gets no further step. A lost hold is taken again all the same: the upstream's
    // bill will come.
    if (revoked && !request.adopt) {
      const denial = denialOf({ code: 'invalid_api_key' }, held.ticket.subject);
      return refusal(held, denial, held.leaseUntilMs);
    }
    const known = plan === 'unknown' ? undefined : plan;
    const isShadow = held.ticket.subject.apiKeyType === SHADOW_SUBJECT;
    const limits = presentLimits(held.ticket.limits, known, isShadow);
    const ticket = { ...held.ticket, limits };
    const next = revoked ? ticket : grown(ticket, request, outputPriceOf(ticket, request, known));
    const step: Step = {
      requestId: request.requestId,
      held,
      ticket,
      next,
      text: encodeTicket(next),
    };
    const counters = extendCounters(ticket.limits, next.limits);
    const item = {
      requestId: request.requestId,
      leaseMs: deps.leaseMs,
      step: next.step,
      ticketText: step.text,
      counters,
    };
    const kept = await inMemory(deps, request, step, { ...item, session: caller?.session ?? '' });
    if (kept !== undefined) return kept;
    for (let round = 0; round < ROUNDS_MAX && deps.clock.now() <= deadlineAtMs; round += 1) {
      const outcome = await askStore(deps, step, item, deadlineAtMs);
      const reply = await follow(deps, step, outcome, deadlineAtMs);
      if (reply === undefined) continue;
      // The store has what this process may still have in memory.
      if (request.adopt) void deps.floats?.drop(ticket.shard, request.requestId);
      const { holdToken } = reply;
      if (request.responseId !== '' && Buffer.isBuffer(holdToken) && holdToken.length > 0) {
        await deps.issuers.pending(next, { ...request, holdToken, turn: request });
      }
      return reply;
    }
    throw tooLate('redis');
  };
}

/** Asks again while floats that have free parts of a refused limit give them back. */
async function askStore(
  deps: ExtendDeps,
  { held, ticket }: Step,
  item: Pick<ExtendItem, 'requestId' | 'leaseMs' | 'step' | 'ticketText' | 'counters'>,
  deadlineAtMs: number,
): Promise<ExtendOutcome> {
  for (let patienceMs = PATIENCE_MS; ; patienceMs -= AGAIN_MS) {
    const outcome = await deps.store.extend({
      ...item,
      shard: ticket.shard,
      epoch: deps.epochs.of(ticket.shard),
      authorisedAtMs: held.authorisedAtMs,
      previousTicketText: held.text,
      floatId: held.floatId,
    });
    if (outcome.kind !== 'DENY' || outcome.lent !== true || patienceMs < AGAIN_MS) return outcome;
    if (deps.clock.now() + AGAIN_MS > deadlineAtMs) return outcome;
    await deps.wait(AGAIN_MS);
  }
}

/** Nobody waits for the answer any more, so that nothing may be granted. */
const tooLate = (dependency: 'catalog' | 'redis'): Failure =>
  new Failure('DEADLINE_EXCEEDED', 'the hold could not be extended in time', dependency);

/** Extends a hold of this process's own float. `undefined`: the store extends it. */
async function inMemory(
  deps: ExtendDeps,
  { adopt, responseId }: ExtendRequest__Output,
  step: Step,
  extension: Omit<FloatExtension, 'floatId'>,
): Promise<ExtendReply | undefined> {
  // A float may be lost before it is adopted; the store extends at once.
  if (adopt) return undefined;
  // Whoever reads the response ends it, over any policy.
  const asHold = responseId !== '';
  const { floatId } = step.held;
  const extended = deps.floats?.extend(step.ticket.shard, { ...extension, floatId, asHold });
  if (extended === undefined) return undefined;
  // Not so long that the store has no time left; it finds the hold by its token.
  if (extended instanceof Promise) {
    await reported(extended, deps.clock.now() + KEPT_WITHIN_MS, deps.clock);
    return undefined;
  }
  if (extended.kind === 'GONE') return gone();
  return granted(deps, step, extended.leaseUntilMs, step.held.floatId);
}

// The current limits where the directory is known; otherwise the ticket's.
async function planNow(deps: ExtendDeps, ticket: Ticket): Promise<KeyPlan | 'unknown' | undefined> {
  try {
    return (await deps.directory.lookup(ticket.keySha256)) ?? 'unknown';
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

async function follow(
  deps: ExtendDeps,
  step: Step,
  outcome: ExtendOutcome,
  deadlineAtMs: number,
): Promise<ExtendReply | undefined> {
  const { held, ticket, next } = step;
  switch (outcome.kind) {
    case 'GRANTED':
    case 'ADOPTED':
      return granted(deps, step, outcome.leaseUntilMs, '');
    case 'DENY': {
      const readings = readingsOf(
        ticket.limits,
        outcome.states,
        (limit, index) => (next.limits[index]?.held ?? limit.held) - limit.held,
      );
      const exceeded = readings.filter(({ limit }) => outcome.limitIds.includes(limit.limitId));
      const denied = refuseByLimits(exceeded, deps.clock.now());
      const denial = denialOf(denied, ticket.subject, readings);
      return refusal(held, denial, outcome.leaseUntilMs);
    }
    case 'GONE':
      return gone();
    case 'COLD':
      await deps.seed({
        shard: ticket.shard,
        organisationId: ticket.subject.organisationId,
        limits: ticket.limits.filter(({ limitId }) => outcome.limitIds.includes(limitId)),
        deadlineAtMs,
      });
      return undefined;
    case 'EPOCH':
      await deps.epochs.follow(ticket.shard, outcome);
      return undefined;
    case 'CLOSED':
      throw unavailable('redis', 'the shard is closed for a moment after a loss of data');
  }
}

function granted(
  { holdTokens }: ExtendDeps,
  { requestId, held, next, text }: Step,
  leaseUntilMs: number,
  floatId: string,
): ExtendReply {
  const { authorisedAtMs } = held;
  const of = { ticket: next, text, authorisedAtMs, leaseUntilMs, floatId };
  const holdToken = holdTokens.write(requestId, of);
  return { granted: true, leaseUntilMs, holdToken, gone: false, floatId };
}

function gone(): ExtendReply {
  return { granted: false, leaseUntilMs: 0, holdToken: Buffer.alloc(0), gone: true };
}

function refusal(
  held: HeldTicket,
  denial: ExtendReply['denial'],
  leaseUntilMs: number,
): ExtendReply {
  return {
    granted: false,
    leaseUntilMs: Math.max(leaseUntilMs, held.leaseUntilMs),
    holdToken: Buffer.alloc(0),
    denial: denial ?? null,
    gone: false,
  };
}

/**
 * The ticket after more output of the running attempt, or after a further attempt with its own
 * input and cost. `outputPrice`: nano-USD per million output tokens of the running attempt.
 */
export function grown(
  ticket: Ticket,
  request: Pick<
    ExtendRequest__Output,
    'addOutputTokens' | 'addInputTokens' | 'addNanoUsd' | 'modelId'
  >,
  outputPrice: bigint,
): Ticket {
  const { addOutputTokens, addInputTokens, addNanoUsd, modelId } = request;
  if (addOutputTokens === 0 && addInputTokens === 0 && addNanoUsd === '') return ticket;
  const further = addNanoUsd !== '';
  const outputTokens = addOutputTokens * ticket.choices;
  const costNanoUsd = further ? BigInt(addNanoUsd) : stepCost(outputTokens, outputPrice);
  const step = { inputTokens: addInputTokens, outputTokens, costNanoUsd };
  const next: Ticket = {
    ...ticket,
    step: ticket.step + 1,
    inputTokens: ticket.inputTokens + addInputTokens,
    heldOutputTokens: ticket.heldOutputTokens + addOutputTokens,
    heldNanoUsd: ticket.heldNanoUsd + costNanoUsd,
  };
  if (ticket.candidates.length < 2)
    return { ...next, limits: grownLimits(ticket.limits, {}, step) };
  const stepping = further ? { modelId, further: furtherOf(next, modelId) } : { modelId };
  return { ...next, limits: grownLimits(ticket.limits, stepping, step) };
}

// Candidates are tried in order: those before this one may have been called.
function furtherOf(next: Ticket, modelId: string): Further {
  const models = next.candidates.map((candidate) => candidate.modelId);
  const index = models.indexOf(modelId);
  return {
    asked: new Set(index < 0 ? models : models.slice(0, index)),
    whole: {
      inputTokens: next.inputTokens,
      outputTokens: next.heldOutputTokens * next.choices,
      costNanoUsd: next.heldNanoUsd,
    },
  };
}

/**
 * The price of a step is the streaming candidate's where it is known, so that a cheap model is not
 * stopped for the price of a dear fallback.
 */
export function outputPriceOf(
  ticket: Pick<Ticket, 'candidates' | 'inputTokens' | 'outputPrice'>,
  { modelId, serviceTier }: Pick<ExtendRequest__Output, 'modelId' | 'serviceTier'>,
  plan: KeyPlan | undefined,
): bigint {
  const candidate = ticket.candidates.find((one) => one.modelId === modelId);
  if (ticket.candidates.length < 2 || candidate === undefined) return ticket.outputPrice;
  const prices = plan && modelWithId(plan, modelId)?.prices;
  const planned = prices?.find(({ price }) => price.priceId === candidate.priceId);
  if (planned === undefined) return ticket.outputPrice;
  // The ticket does not say whether audio output was requested; the higher price covers both.
  const own = dearestOutput(heldPrice(planned.price, serviceTier), ticket.inputTokens, false);
  return own < ticket.outputPrice ? own : ticket.outputPrice;
}
