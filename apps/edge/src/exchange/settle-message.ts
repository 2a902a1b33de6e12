import {
  MAX_NANO_USD,
  MODEL_NAME_CHARACTERS,
  regionsText,
  SHADOW_ARM,
  type NanoUsd,
} from '@tollgate/contracts';
import type { Attempt, Candidate__Output, SettleRequest } from '@tollgate/contracts/node';

import { recordedAttribution } from '../attribution/recorded';
import type { Job } from '../operations';
import type { Grown } from '../policy';
import type { Exchange } from './exchange';
import type { Gateway } from './gateway';

/** Builds the settle of a model request for which an upstream was called; it says every field. */
export function settleMessage(
  gateway: Pick<Gateway, 'nowMs'>,
  exchange: Exchange,
): Required<Omit<SettleRequest, 'holdToken' | 'mcp'>> {
  const { allow, attempts, cache, ending, job, requestId, shadow } = exchange;
  const kept = cache?.result === 'HIT' ? cache : undefined;
  const candidate = ending.candidate ?? mostBilled(attempts, allow?.candidates ?? []);
  let upstreamMs = 0;
  for (const attempt of attempts) upstreamMs += Number(attempt.latencyMs ?? 0);
  return {
    requestId,
    cancelled: false,
    outcome: ending.outcome,
    usage: ending.usage,
    units: ending.units,
    usageQuality: ending.quality,
    costNanoUsd: least(ending.costNanoUsd, MAX_NANO_USD).toString(),
    modelId: candidate?.modelId ?? '',
    providerId: candidate?.providerId ?? '',
    // A kept answer costs a share of a price, which no price list says.
    priceId: kept ? '' : (candidate?.price?.priceId ?? ''),
    httpStatus: ending.httpStatus,
    errorCode: ending.errorCode,
    latencyMs: Math.round(gateway.nowMs() - exchange.startedMs),
    firstTokenMs: ending.firstTokenMs,
    upstreamMs,
    stopReason: ending.stopReason.slice(0, WORD_CHARACTERS),
    stream: job?.stream ?? false,
    upstreamRequestId: ending.upstreamRequestId,
    responseId: ending.responseId.slice(0, ID_CHARACTERS),
    screening: exchange.screening?.evidence() ?? '',
    requestedModel: requestedModel(job, candidate),
    experimentId: shadow?.experimentId ?? allow?.experiment?.experimentId ?? '',
    experimentArm: shadow ? SHADOW_ARM : (allow?.experiment?.arm ?? ''),
    shadowOf: shadow?.requestId ?? '',
    regions: regionsText(attempts.map(({ region = '' }) => region)),
    itemIds: [...ending.itemIds],
    traceId: exchange.traceId,
    // Of traced requests, when the settle is handed over.
    spanId: '',
    ...recordedAttribution(exchange.req.headers, allow, exchange.screening?.tags()),
    ...storedTurn(job),
    responseCache: allow?.responseCache ? (cache?.result ?? '') : '',
    cachedCostNanoUsd: kept ? least(kept.cachedCostNanoUsd, MAX_NANO_USD).toString() : '',
    cachedAgeSeconds: kept?.ageSeconds ?? 0,
    firstChoiceCostNanoUsd: ending.firstChoiceCostNanoUsd,
    routingPolicyId: allow?.routing?.policyId ?? '',
    serviceTier: ending.serviceTier,
    // Of passthrough requests.
    requestBytes: 0,
    responseBytes: 0,
    attempts: recorded(attempts),
  };
}

// Empty if the client used the model's own name, or its id.
function requestedModel(job: Job | undefined, candidate: Candidate__Output | undefined): string {
  const name = job?.model ?? '';
  if (name === candidate?.modelName || name === candidate?.modelId) return '';
  return name.slice(0, MODEL_NAME_CHARACTERS);
}

/** What a settle says of the stored objects that a request continues and adds to. */
export function storedTurn(job: Job | undefined) {
  return {
    addedTokens: job?.addedTokens ?? job?.inputTokensEstimate ?? 0,
    conversationId: job?.addsTo ?? '',
    readTokens: job?.readTokens ?? 0,
    assumedTokens: job?.assumedTokens ?? 0,
  };
}

/** What the conversation of a request that is cancelled counts already, and is taken back. */
export function grownBy(job: Job | undefined): Grown {
  return { conversationId: job?.addsTo ?? '', assumedTokens: job?.assumedTokens ?? 0 };
}

/** Limits of texts and ids that an upstream chose. */
const WORD_CHARACTERS = 128;
const ID_CHARACTERS = 1_024;

function least(a: NanoUsd, b: NanoUsd): NanoUsd {
  return a < b ? a : b;
}

// If no candidate answered: the one that cost most, else the first.
function mostBilled(
  attempts: readonly Attempt[],
  candidates: readonly Candidate__Output[],
): Candidate__Output | undefined {
  let most: Attempt | undefined;
  for (const attempt of attempts) {
    const [cost, before] = [costOf(attempt), costOf(most)];
    // A free model is compared by its tokens.
    const more = cost === before ? tokensOf(attempt) > tokensOf(most) : cost > before;
    if (more) most = attempt;
  }
  return candidates.find(({ modelId }) => modelId === most?.modelId) ?? candidates[0];
}

function tokensOf(attempt: Attempt | undefined): number {
  let tokens = 0;
  for (const count of Object.values(attempt?.usage ?? {})) tokens += Number(count);
  return tokens;
}

function costOf(attempt: Attempt | undefined): bigint {
  return BigInt(attempt?.costNanoUsd || 0);
}

/** The number of attempts that a record lists; policy accepts no more. */
const RECORDED_MOST = 64;

// If there are more attempts, the billed ones and the last one take precedence, then the earliest.
function recorded(attempts: Attempt[]): Attempt[] {
  if (attempts.length <= RECORDED_MOST) return attempts;
  const last = attempts.length - 1;
  const needed = new Set(
    attempts.flatMap((attempt, at) => (at === last || costOf(attempt) > 0n ? [at] : [])),
  );
  const kept = new Set([...needed].slice(-RECORDED_MOST));
  for (let at = 0; at < attempts.length && kept.size < RECORDED_MOST; at += 1) kept.add(at);
  return attempts.filter((_attempt, at) => kept.has(at));
}
