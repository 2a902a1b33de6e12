import { sizeOf } from '../decide';
import type { PlannedLimit } from '../directory';
import { Failure } from '../failure';
import type { Attempt, EncodedTicket } from './allow';
import { askMemory, askStore, timeOf, type Question } from './ask';
import { nextAction, storeTimeIn } from './authorize-step';
import { countedLimits, heldLimits } from './counters';
import type { Decider } from './decide-request';
import { ticketOf, type Offered } from './offer';
import { seedLimits, seedQuietly } from './seed-limits';
import { encodeTicket } from './ticket';

// Limit of attempts of one request (cold counters, another epoch, a window's end, a lower bound).
const ROUNDS_MAX = 12;

type Holding = Pick<Attempt, 'request' | 'plan' | 'attribution'> & {
  /** Limits on the values that the request names. */
  readonly onValues: readonly PlannedLimit[];
};

/** `undefined`: the plan names limits that no longer exist; read it again. */
export async function takeHold<R>(
  decider: Decider<R>,
  { request, plan, attribution, onValues }: Holding,
  {
    candidates,
    choice,
    issuer,
    onHeld,
    readTokens = 0,
    mcp,
    passthrough,
    retirement,
    arm,
  }: Offered,
  asked: Question,
): Promise<R | undefined> {
  const { outputBoundUnsent } = plan;
  const fixed = mcp ?? passthrough;
  let size = fixed?.size ?? sizeOf(request, candidates, { outputBoundUnsent, readTokens });
  let clamped = false;
  let deniedBefore = false;
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    if (decider.clock.now() > asked.deadlineAtMs) break;
    const usual = fixed?.limits ?? countedLimits(size.candidates);
    const counted = onValues.length === 0 ? usual : [...usual, ...onValues];
    const first = round === 0;
    const limits = heldLimits(counted, size, timeOf(decider, plan, first), plan.timeZone);
    const base = { request, plan, attribution, choice, issuer, size, clamped, counted, limits };
    const attempt: Attempt = { ...base, mcp, passthrough, retirement, arm, deniedBefore };
    const ticket = ticketOf(attempt);
    const encoded: EncodedTicket = { ticket, text: encodeTicket(ticket) };
    const outcome =
      (first ? askMemory(decider, attempt, encoded, asked) : undefined) ??
      (await askStore(decider, attempt, encoded, asked));
    const storeMs = storeTimeIn(outcome);
    if (storeMs !== undefined) decider.time.sync(storeMs);
    let action = nextAction(attempt, outcome);
    deniedBefore ||= outcome.kind === 'DENY';
    if (action.kind === 'SEED' && !action.required) {
      if (await seedQuietly(decider, attempt, action.limitIds, asked.deadlineAtMs)) continue;
      action = nextAction({ ...attempt, deniedBefore }, outcome);
    }
    switch (action.kind) {
      case 'ALLOW': {
        const reply = decider.answers.allowed(attempt, encoded, action.outcome);
        if (!action.outcome.already) onHeld?.(ticket.candidates.map(({ modelId }) => modelId));
        return reply;
      }
      case 'DENY':
        return decider.answers.denied(action.reply, attempt, encoded, action.outcome);
      case 'RESIZE':
        size = action.size;
        clamped ||= action.clamped;
        break;
      case 'SEED': {
        const { gone } = await seedLimits(decider, attempt, action.limitIds, asked.deadlineAtMs);
        if (gone.length > 0) return undefined;
        break;
      }
      case 'FOLLOW_EPOCH':
        await decider.epochs.follow(plan.shard, action.outcome);
        break;
      case 'ASK_AGAIN':
        break;
      case 'FAIL':
        throw action.failure;
    }
  }
  throw new Failure('DEADLINE_EXCEEDED', 'the request could not be decided in time', 'redis');
}
