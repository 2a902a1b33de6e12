// A decision in the words of docs/dry-run.md: what a dry run answers to the key's holder, and what is kept of a real
// request. It says what refusals, headers and /v1/keys/validate say to the same key, and prices, which follow from
// costs. It names no connection, address or secret of a provider.

import { isErrorCode } from './errors';
import { gatewayError, type ErrorDetails, type GatewayError } from './gateway-error';
import type {
  Candidate__Output,
  Denial__Output,
  DryRunLimit__Output,
  DryRunReply__Output,
  LimitState__Output,
  Price__Output,
} from './generated';
import { formatUsd } from './money';
import { percentFromWire } from './service-tiers';

/** What the gateway itself found, beside policy's decision. */
export interface Described {
  readonly requestId: string;
  /** Undefined: the request would go ahead. */
  readonly error: GatewayError | undefined;
  /** Checks of the gateway, after policy's. */
  readonly checks: readonly { readonly check: string; readonly passed: boolean }[];
  /** What is known of a candidate beside policy's terms, by its model. */
  readonly ways?: ReadonlyMap<string, object>;
  /** Candidates that the gateway leaves out itself, with the reason. */
  readonly leftOut?: readonly { readonly modelId: string; readonly reason: string }[];
  readonly screening?: object | null;
}

export function describeDecision(reply: DryRunReply__Output, described: Described) {
  const { error, leftOut = [], requestId, ways } = described;
  const { allow, hold, routing } = reply;
  const assigned = allow?.experiment ?? null;
  const out = new Map(leftOut.map(({ modelId, reason }) => [modelId, reason]));
  const tellsModel = allow?.tellUpstreamModel === true;
  return {
    requestId,
    decision: error === undefined ? 'allow' : 'deny',
    error: error === undefined ? null : errorOf(error),
    checks: [
      ...reply.checks.map(({ name, passed }) => ({ check: name, passed })),
      ...described.checks,
    ],
    hold: hold === null ? null : holdOf(hold),
    limits: reply.limits.flatMap((one) => (one.before ? [limitOf(one.before, one)] : [])),
    softExceeded: allow?.softExceeded ?? [],
    candidates: reply.candidates
      .filter(({ modelId }) => !out.has(modelId))
      .map((candidate) => ({
        ...candidateOf(candidate, tellsModel),
        ...ways?.get(candidate.modelId),
      })),
    leftOut: [
      ...(routing?.leftOut ?? []).map(({ modelId, modelName, reason, untilMs }) => ({
        modelId,
        model: modelName || null,
        reason,
        until: instant(untilMs),
      })),
      ...reply.candidates
        .filter(({ modelId }) => out.has(modelId))
        .map(({ modelId, modelName }) => ({
          modelId,
          model: modelName,
          reason: out.get(modelId),
          until: null,
        })),
    ],
    routing:
      routing === null
        ? null
        : { policyId: routing.policyId, policy: routing.policyName, strategy: routing.strategy },
    experiment: assigned === null ? null : { experiment: assigned.experiment, arm: assigned.arm },
    screening: described.screening ?? null,
  };
}

/** Policy's refusal as an error for the client; undefined: its code is of a later release. */
export function errorOfDenial(denial: Denial__Output): GatewayError | undefined {
  if (!isErrorCode(denial.code)) return undefined;
  const details = detailsOf(denial.detailsJson);
  const param = details?.['param'];
  return gatewayError(denial.code, denial.message || undefined, {
    // The request field at fault, if there is one.
    param: typeof param === 'string' ? param : undefined,
    details,
    retryAfterMs: denial.retryAfterMs > 0 ? denial.retryAfterMs : undefined,
  });
}

function detailsOf(json: string): ErrorDetails | undefined {
  if (json === '') return undefined;
  const value: unknown = JSON.parse(json);
  return typeof value === 'object' && value !== null ? { ...value } : undefined;
}

function errorOf({ code, details, message, param, retryAfterMs, status }: GatewayError) {
  return {
    code,
    status,
    message,
    ...(param === undefined ? {} : { param }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs: Math.ceil(retryAfterMs) }),
    ...(details === undefined ? {} : { details }),
  };
}

function holdOf(hold: NonNullable<DryRunReply__Output['hold']>) {
  return {
    usd: formatUsd(BigInt(hold.nanoUsd)),
    inputTokens: hold.inputTokens,
    audioInputTokens: hold.audioInputTokens,
    readTokens: hold.readTokens,
    outputTokens: hold.outputTokens,
    choices: hold.choices,
    units: hold.units,
    outputBound: hold.outputSource || null,
    clamped: hold.clamped,
  };
}

// As in /v1/keys/validate: counts, or decimal US dollars if the metric is COST; null is unknown.
function limitOf(
  { metric, settled, held, remaining, ...limit }: LimitState__Output,
  { exceeded, lent, requested, source }: DryRunLimit__Output,
) {
  const amount = (value: bigint): string | number =>
    metric === 'COST' ? formatUsd(value) : Number(value);
  const told = (text: string) => (text === '' ? null : amount(BigInt(text)));
  const needs = BigInt(requested);
  // From memory, the request is taken from the float that is held already.
  const more = source === 'MEMORY' ? 0n : needs;
  const left = BigInt(limit.limit) - BigInt(settled || '0') - BigInt(held || '0') - more;
  return {
    id: limit.limitId,
    kind: limit.kind,
    metric: metric || null,
    scope: { type: limit.scopeType, id: limit.scopeId },
    mode: limit.mode,
    period: limit.period || null,
    windowSeconds: limit.windowSeconds || null,
    limit: told(limit.limit),
    before: { settled: told(settled), held: told(held), remaining: told(remaining) },
    requested: amount(needs),
    after:
      settled === ''
        ? null
        : {
            held: amount(BigInt(held || '0') + more),
            remaining: amount(left > 0n ? left : 0n),
          },
    exceeded,
    lent: amount(BigInt(lent || '0')),
    source: source || 'STORE',
    resetsAt: instant(limit.resetsAtMs),
  };
}

function candidateOf(candidate: Candidate__Output, tellsModel: boolean) {
  return {
    modelId: candidate.modelId,
    model: candidate.modelName,
    ...(tellsModel ? { upstreamModel: candidate.upstreamModel } : {}),
    provider: candidate.providerLabel,
    region: candidate.region || null,
    maxOutputTokens: candidate.maxOutputTokens || null,
    heldOutputTokens: candidate.heldOutputTokens,
    outputInSteps: candidate.outputInSteps,
    usd: candidate.estimateNanoUsd === '' ? null : formatUsd(BigInt(candidate.estimateNanoUsd)),
    serviceTier: candidate.serviceTier || null,
    price: candidate.price === null ? null : priceOf(candidate.price),
    probe: candidate.probe,
  };
}

/** In US dollars: per million tokens of a class, per request and per unit. */
function priceOf(price: Price__Output) {
  const usd = (nano: string) => formatUsd(BigInt(nano || '0'));
  return {
    id: price.priceId,
    perMillionTokens: price.steps.map(({ fromInputTokens, ...classes }) => ({
      fromInputTokens,
      ...Object.fromEntries(Object.entries(classes).map(([name, nano]) => [name, usd(nano)])),
    })),
    perRequest: usd(price.perRequestNanoUsd),
    perUnit: Object.fromEntries(
      Object.entries(price.perUnitNanoUsd).map(([unit, nano]) => [unit, usd(nano)]),
    ),
    tierPercent: percentFromWire(price.tierPercent).tierPercent ?? {},
  };
}

function instant(ms: number): string | null {
  return ms > 0 ? new Date(ms).toISOString() : null;
}
