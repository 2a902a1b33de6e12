// Requests that continue at the provider after its answer. Their holds are settled when the
// provider ends, not with the answer.

import { gatewayError, MAX_NANO_USD, regionsText } from '@tollgate/contracts';
import type { Allow__Output, SettleRequest } from '@tollgate/contracts/node';

import type { Answer } from '../exchange/answer';
import type { BackgroundResponse } from '../exchange/background-response';
import { addCharges, chargeFor, expectedInput, NO_CHARGE } from '../exchange/charge';
import type { AnsweredExchange, AuthorisedExchange, Charge, Exchange } from '../exchange/exchange';
import type { Gateway } from '../exchange/gateway';
import { dropImplausibleUsage, type UsageExpectation } from '../exchange/plausible-usage';
import { chargeAtFirstChoice, uncachedCost } from '../exchange/savings';
import { settleMessage, storedTurn } from '../exchange/settle-message';
import { finalUse, type FinalUse } from '../operations/background-use';
import type { Hold } from '../policy';
import type { BackgroundKeeperDeps } from './keeper';

/** @throws GatewayError `overloaded` */
export function claimBackgroundPlace({ background }: Gateway, exchange: AuthorisedExchange): void {
  if (!exchange.job.background) return;
  exchange.backgroundPlace = background.claim();
  if (exchange.backgroundPlace) return;
  const message = 'Too many background responses are running. Retry later.';
  throw gatewayError('overloaded', message, { retryAfterMs: RETRY_AFTER_MS });
}

const RETRY_AFTER_MS = 5_000;

/** The id of a response that the provider continues to generate; empty: the answer is complete. */
function backgroundId(answer: Answer): string {
  if (!answer.background) return '';
  if (answer.kind === 'stream') return answer.stream.tap.report.responseId ?? '';
  const { pending, responseId } = answer.answered.report;
  return pending ? (responseId ?? '') : '';
}

/**
 * Registers the response before the client learns its id, because the client may then ask any edge
 * for it. Undefined: the answer is complete, and there is nothing to wait for.
 */
export function registerBackgroundResponse({
  answer,
  hold,
  job,
  sideCharge,
}: AnsweredExchange): Promise<unknown> | undefined {
  const responseId = backgroundId(answer);
  if (responseId === '') return undefined;
  const earlierNanoUsd = sideCharge ? bounded(sideCharge.costNanoUsd) : '';
  const pending = { responseId, ...storedTurn(job), earlierNanoUsd };
  return hold.continueInBackground(answer.candidate.modelId, pending);
}

/** True: the hold is kept until the provider ends the response. */
export function keepInBackground(gateway: Gateway, exchange: Exchange): boolean {
  const { allow, answer, sideCharge, ending, hold, job } = exchange;
  const responseId = answer ? backgroundId(answer) : '';
  if (!allow || !answer || !hold || !job || responseId === '') return false;
  if (answer.kind === 'stream' && ending.outcome === 'COMPLETED') return false;
  const { candidate } = answer;
  ending.candidate = candidate;
  ending.responseId = responseId;
  const { audioInputTokensEstimate, unitsEstimate, choices } = job;
  const inputTokensEstimate = expectedInput(job);
  const asked = { inputTokensEstimate, audioInputTokensEstimate, unitsEstimate, choices };
  const settle = settleMessage(gateway, exchange);
  gateway.background.keep({ responseId, hold, settle, candidate, allow, asked, sideCharge });
  return true;
}

/** Settles the request of a response that has ended. */
export function settleBackground(
  gateway: Pick<Gateway, 'policy' | 'log' | 'metrics'>,
): BackgroundKeeperDeps['settle'] {
  return (response, final) => {
    const { sideCharge, hold, settle } = response;
    const own = chargeOf(gateway, response, final);
    const charge = sideCharge ? addCharges(own, sideCharge) : own;
    const attempts = [...(settle.attempts ?? [])];
    const last = attempts.pop();
    if (last) {
      const costNanoUsd = own.costNanoUsd.toString();
      const { price } = response.candidate;
      const { priceId = '' } = price ?? {};
      const uncachedCostNanoUsd = uncachedCost(price, own);
      const { serviceTier, usage } = own;
      attempts.push({ ...last, usage, costNanoUsd, uncachedCostNanoUsd, priceId, serviceTier });
    }
    const firstChoiceCostNanoUsd = chargeAtFirstChoice(response.allow, response.candidate, own);
    const end = { ...endOf(final, charge), firstChoiceCostNanoUsd };
    gateway.policy.settle(hold, { ...settle, ...end, attempts });
  };
}

function chargeOf(
  gateway: Pick<Gateway, 'log' | 'metrics'>,
  { asked, candidate, settle }: Pick<BackgroundResponse, 'asked' | 'candidate' | 'settle'>,
  { consumption }: FinalUse,
): Charge {
  // A failed response is charged only for what the provider reported.
  if (!consumption) return { ...NO_CHARGE, quality: 'UNKNOWN' };
  const report = { ...consumption };
  dropImplausibleUsage(
    gateway,
    { requestId: settle.requestId ?? '', job: asked },
    candidate,
    report,
  );
  return chargeFor(candidate, report);
}

function endOf(
  { errorCode, itemIds, outcome, stopReason }: FinalUse,
  charge: Charge,
): SettleRequest {
  const { costNanoUsd, quality, serviceTier, units, usage } = charge;
  return {
    outcome,
    errorCode,
    itemIds,
    stopReason: stopReason.slice(0, STOP_CHARACTERS),
    usage,
    units,
    usageQuality: quality,
    costNanoUsd: bounded(costNanoUsd),
    serviceTier,
  };
}

function bounded(nanoUsd: bigint): string {
  return (nanoUsd < MAX_NANO_USD ? nanoUsd : MAX_NANO_USD).toString();
}

const STOP_CHARACTERS = 128;

/**
 * Settles the request that made a stored response, if this answer shows that the response has
 * ended. The edge that made it may be gone, so the request may still be open or charged as held.
 */
export function settlePending(gateway: Gateway, exchange: AnsweredExchange): void {
  const { allow, answer } = exchange;
  const { pending } = allow;
  if (!pending || answer.kind !== 'unary') return;
  const { stored } = answer.answered.report;
  const final = stored && finalUse(stored, pending.inputTokensEstimate);
  // Where it was made, more is known of the request.
  if (!final || gateway.background.ended(pending.requestId, final)) return;
  const { holdToken, inputTokensEstimate, modelId, price, providerId, requestId } = pending;
  const { addedTokens, assumedTokens, conversationId, earlierNanoUsd, readTokens } = pending;
  const candidate = { ...answer.candidate, modelId, price };
  const settle: SettleRequest = {
    requestId,
    modelId,
    providerId,
    priceId: price?.priceId ?? '',
    httpStatus: 200,
    responseId: exchange.job.storedId ?? '',
    conversationId,
    addedTokens,
    assumedTokens,
    readTokens,
    regions: regionsText([pending.region]),
  };
  const asked: UsageExpectation = {
    inputTokensEstimate,
    audioInputTokensEstimate: 0,
    unitsEstimate: {},
    choices: 1,
  };
  const hold = holdOfOtherEdge(requestId, exchange.hold.shard, holdToken);
  // How the request was routed is not known here.
  const of = { candidate, allow: { candidates: [], routing: null } };
  const sideCharge =
    earlierNanoUsd === '' ? undefined : { ...NO_CHARGE, costNanoUsd: BigInt(earlierNanoUsd) };
  settleBackground(gateway)({ responseId: '', hold, settle, ...of, asked, sideCharge }, final);
}

/** A hold that another edge keeps, or kept. It can only be settled here. */
function holdOfOtherEdge(
  requestId: string,
  shard: number,
  token: Allow__Output['holdToken'],
): Hold {
  const refused = () => Promise.resolve({ granted: false, refused: false } as const);
  return {
    requestId,
    shard,
    token: () => token,
    session: () => undefined,
    extend: refused,
    continueInBackground: refused,
    end: () => undefined,
  };
}
