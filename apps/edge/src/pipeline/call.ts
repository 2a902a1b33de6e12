import { gatewayError } from '@tollgate/contracts';
import type { Allow__Output } from '@tollgate/contracts/node';
import type { Job } from '../operations';
import { UpstreamFailure } from '../upstream/failure';
import type { Answer } from './attempt';
import { ClientGone } from '../intake';
import { tryCandidate } from './candidate';
import type { Exchange } from './exchange';
import type { Gateway } from './gateway';
import { plan, type PlannedAnswer } from './plan';
import { movesOn, rulesOf } from './rules';
import { outOfTime, pause, stop, type Tries } from './tries';

/**
 * Tries the candidates in their order until one has something to send. Nothing has been sent to the
 * client before that, so another one may still be tried.
 * @throws GatewayError of the last failure; ClientGone
 */
export async function call(
  gateway: Gateway,
  exchange: Exchange,
  job: Job,
  allow: Allow__Output,
): Promise<Answer> {
  const tries: Tries = {
    gateway,
    exchange,
    job,
    rules: rulesOf(allow),
    startedMs: gateway.nowMs(),
    left: plan(gateway, exchange, job, allow),
    legs: [],
    wakers: [],
    raised: false,
    stopped: exchange.clientGone ? 'gone' : undefined,
  };
  // V8 puts a function that is written where a property is set into the old generation at once, and
  // all that this request has made with it. One that has a name first dies young.
  const giveUp = (): void => stop(tries, 'gone');
  // A provider that goes on in the background does so without its client: its id must be known.
  const background = tries.left.some((one) => one.kind === 'call' && one.talk.background);
  exchange.onClientGone = background ? undefined : giveUp;
  const { hedgeAfterMs, totalTimeoutMs } = tries.rules;
  const deadline =
    totalTimeoutMs > 0 ? setTimeout(() => stop(tries, 'late'), totalTimeoutMs) : undefined;
  try {
    return await (hedgeAfterMs > 0 && tries.left.length > 1 && !background
      ? hedged(tries, hedgeAfterMs)
      : inTurn(tries, false));
  } catch (error) {
    if (exchange.clientGone) throw new ClientGone('the client left while the upstream worked');
    if (tries.stopped === 'late') throw outOfTime().error;
    if (!(error instanceof UpstreamFailure)) throw error;
    exchange.vendorRefusal = error.vendor;
    throw error.error;
  } finally {
    clearTimeout(deadline);
  }
}

// One candidate after the other, for as long as their failures are reasons to go on.
async function inTurn(tries: Tries, hedge: boolean): Promise<Answer> {
  const { left, rules } = tries;
  let failure: unknown;
  for (let planned = left.shift(); planned && !tries.stopped; planned = left.shift()) {
    if (planned.kind === 'own') return ownAnswer(tries, planned);
    try {
      return await tryCandidate(tries, planned, hedge);
    } catch (error) {
      failure = error;
      if (tries.stopped || !movesOn(rules, error)) break;
      const [next] = left;
      if (next && (tries.raised || billedMaybe(error)) && !(await coverNext(tries))) break;
    }
  }
  throw failure ?? gatewayError('provider_misconfigured');
}

// A second one beside the first, when that has been silent for long. The first with something to send
// wins; both are booked.
async function hedged(tries: Tries, afterMs: number): Promise<Answer> {
  const first = inTurn(tries, false);
  const waiting = tries.left.length;
  let running = true;
  const ended = first.then(
    () => undefined,
    () => undefined,
  );
  const second = async (): Promise<Answer> => {
    await Promise.race([pause(tries, afterMs), ended.then(() => (running = false))]);
    // A first one that has failed by then has gone on by itself; one that has won has stopped the rest
    // before its own end is known here.
    const needless = (): boolean =>
      !running || tries.stopped !== undefined || tries.left.length < waiting;
    if (needless() || !(await coverNext(tries)) || needless()) return first;
    return inTurn(tries, true);
  };
  try {
    return await Promise.any([first, second()]);
  } catch (error) {
    // The client is told what became of the candidate that was preferred.
    throw error instanceof AggregateError ? error.errors[0] : error;
  }
}

function billedMaybe(error: unknown): boolean {
  return error instanceof UpstreamFailure && error.answered;
}

/** Adds what the next candidate may cost to what is held; the hold covers one of them. */
async function coverNext(tries: Tries): Promise<boolean> {
  const { exchange, job, left, rules } = tries;
  const [next] = left;
  if (!rules.routed || !next || !exchange.hold) return true;
  const { candidate } = next;
  tries.raised = true;
  const outcome = await exchange.hold.extend(candidate.modelId, {
    outputTokens: candidate.heldOutputTokens,
    inputTokens: job.inputTokensEstimate,
    nanoUsd: candidate.estimateNanoUsd,
  });
  return outcome.granted;
}

function ownAnswer(tries: Tries, { candidate, answer }: PlannedAnswer): Answer {
  stop(tries, 'won');
  tries.exchange.used = true;
  return {
    kind: 'unary',
    candidate,
    dropped: [],
    relayed: {},
    answered: answer(),
    attempt: undefined,
  };
}
