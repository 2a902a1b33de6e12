import { gatewayError } from '@tollgate/contracts';

import type { Answer } from '../exchange/answer';
import type { AnsweredExchange, AuthorisedExchange } from '../exchange/exchange';
import type { Gateway } from '../exchange/gateway';
import { ClientGone } from '../intake';
import { throwIfBlocked } from '../screening';
import { UpstreamFailure } from '../upstream/failure';
import { outOfTime, pause, startNoMore, stop, type AttemptState } from './attempt-state';
import { tryCandidate } from './call-candidate';
import { plan, type PlannedAnswer } from './plan';
import { routingRulesOf, triggersFallback } from './rules';

/**
 * Tries the candidates in order until one has something to send. Until then nothing has been sent
 * to the client, so the next candidate can still be tried.
 * @throws GatewayError of the last failure, or of the rule that refuses the request; ClientGone
 */
export async function tryCandidates(
  gateway: Gateway,
  exchange: AuthorisedExchange,
): Promise<AnsweredExchange> {
  const state: AttemptState = {
    gateway,
    exchange,
    rules: routingRulesOf(exchange.allow),
    startedMs: gateway.nowMs(),
    left: plan(gateway, exchange),
    running: [],
    wakePauses: [],
    holdExtended: false,
    stopped: exchange.clientGone ? 'gone' : isRefused(exchange) ? 'refused' : undefined,
  };
  // V8 allocates a function in the old generation when it is written where a property is set, and the
  // function keeps this request's objects there. A function that is named first stays young (decision 64).
  const giveUp = (): void => stop(state, 'gone');
  // A background response continues without its client, so its id must be received.
  const background = state.left.some((one) => one.kind === 'call' && one.adapter.background);
  exchange.onClientGone = background ? undefined : giveUp;
  if (exchange.withholding) stopIfRefused(state, exchange.withholding, background);
  const { hedgeAfterMs, totalTimeoutMs } = state.rules;
  const deadline =
    totalTimeoutMs > 0 ? setTimeout(() => stop(state, 'late'), totalTimeoutMs) : undefined;
  try {
    const answer = await (hedgeAfterMs > 0 && state.left.length > 1 && !background
      ? hedged(state, hedgeAfterMs)
      : inTurn(state, false));
    return Object.assign(exchange, { answer });
  } catch (error) {
    if (exchange.clientGone) throw new ClientGone('the client left while the upstream worked');
    throwIfBlocked(exchange.screening);
    if (state.stopped === 'late') throw outOfTime().error;
    if (!(error instanceof UpstreamFailure)) throw error;
    exchange.vendorRefusal = error.vendor;
    throw error.error;
  } finally {
    clearTimeout(deadline);
  }
}

function isRefused({ screening }: AuthorisedExchange): boolean {
  return screening?.blocked() !== undefined;
}

// A rule that judges the request beside the call may refuse it. A stream is given up then. A whole answer
// is awaited, because only its end says what it costs, and a background response, because of its id.
function stopIfRefused(state: AttemptState, withholding: Promise<void>, background: boolean): void {
  const { exchange } = state;
  const act = exchange.job.stream && !background ? stop : startNoMore;
  const judged = (): void => {
    if (isRefused(exchange)) act(state, 'refused');
  };
  // What the promise rejects with is thrown when the answer waits for it.
  withholding.then(judged, () => undefined);
}

// Tries one candidate after the other while their failures allow a fallback.
async function inTurn(state: AttemptState, hedge: boolean): Promise<Answer> {
  const { left, rules } = state;
  let failure: unknown;
  for (let planned = left.shift(); planned && !state.stopped; planned = left.shift()) {
    if (planned.kind === 'own') return ownAnswer(state, planned);
    try {
      return await tryCandidate(state, planned, hedge);
    } catch (error) {
      failure = error;
      if (state.stopped || !triggersFallback(rules, error)) break;
      const [next] = left;
      if (next && (state.holdExtended || mayBeBilled(error)) && !(await extendHoldForNext(state)))
        break;
    }
  }
  throw failure ?? gatewayError('provider_misconfigured');
}

// Starts a second attempt if the first is silent for `afterMs`. The first one with something to
// send wins; both are booked.
async function hedged(state: AttemptState, afterMs: number): Promise<Answer> {
  const first = inTurn(state, false);
  const waiting = state.left.length;
  let running = true;
  const ended = first.then(
    () => undefined,
    () => undefined,
  );
  const second = async (): Promise<Answer> => {
    await Promise.race([pause(state, afterMs), ended.then(() => (running = false))]);
    // A failed first attempt has already fallen back. A won one has stopped the state before
    // `ended` resolves.
    const hedgeObsolete = (): boolean =>
      !running || state.stopped !== undefined || state.left.length < waiting;
    if (hedgeObsolete() || !(await extendHoldForNext(state)) || hedgeObsolete()) return first;
    return inTurn(state, true);
  };
  try {
    return await Promise.any([first, second()]);
  } catch (error) {
    // The client gets the failure of the preferred candidate.
    throw error instanceof AggregateError ? error.errors[0] : error;
  }
}

function mayBeBilled(error: unknown): boolean {
  return error instanceof UpstreamFailure && error.answered;
}

/** Extends the hold by the next candidate's maximum cost, since the hold covers only one candidate. */
async function extendHoldForNext(state: AttemptState): Promise<boolean> {
  const { exchange, left, rules } = state;
  const [next] = left;
  if (!rules.routed || !next) return true;
  const { candidate } = next;
  state.holdExtended = true;
  const outcome = await exchange.hold.extend(candidate.modelId, {
    outputTokens: candidate.heldOutputTokens,
    inputTokens: exchange.job.inputTokensEstimate,
    nanoUsd: candidate.estimateNanoUsd,
  });
  return outcome.granted;
}

function ownAnswer(state: AttemptState, { candidate, answer }: PlannedAnswer): Answer {
  stop(state, 'won');
  state.exchange.used = true;
  return {
    kind: 'unary',
    candidate,
    dropped: [],
    relayed: {},
    answered: answer(),
    attempt: undefined,
  };
}
