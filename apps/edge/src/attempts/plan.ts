import {
  gatewayError,
  isOneOf,
  PROVIDER_TYPES,
  UPSTREAM_FORMATS,
  type GatewayError,
} from '@tollgate/contracts';
import type { Candidate__Output } from '@tollgate/contracts/node';

import type { AuthorisedExchange, DecodedExchange } from '../exchange/exchange';
import type { Gateway } from '../exchange/gateway';
import { sentOutputBound } from '../exchange/output-bound';
import type { Answered, ProviderAdapter } from '../operations';
import {
  endpointOf,
  providerRulesOf,
  type Endpoint,
  type ProviderRules,
} from '../upstream/endpoints';
import { forwardedHeaders } from '../upstream/forwarded-headers';

/** A candidate to call, with everything that is known in advance. */
export interface PlannedCall {
  kind: 'call';
  candidate: Candidate__Output;
  endpoint: Endpoint;
  providerRules: ProviderRules;
  /** Client headers that are forwarded. */
  forwarded: Readonly<Record<string, string>>;
  adapter: ProviderAdapter;
}

/** A candidate for which the gateway answers without a call. */
export interface PlannedAnswer {
  kind: 'own';
  candidate: Candidate__Output;
  answer: () => Answered;
}

export type Planned = PlannedCall | PlannedAnswer;

/**
 * Turns policy's candidates into planned calls, in their order.
 * @throws GatewayError if no candidate's provider supports the operation
 */
export function plan(gateway: Gateway, exchange: AuthorisedExchange): Planned[] {
  const { candidates } = exchange.allow;
  const planned = candidates.flatMap(
    (candidate) => planCandidate(gateway, exchange, candidate) ?? [],
  );
  if (planned.length > 0) return planned;
  throw unsupportedBy(exchange, candidates);
}

/** The refusal of a request whose operation no candidate's provider supports. */
export function unsupportedBy(
  { job, route }: DecodedExchange,
  [first]: readonly Candidate__Output[],
): GatewayError {
  if (!first) return gatewayError('provider_misconfigured');
  const operation = route.operation.replaceAll('_', ' ');
  if (job.storedId !== undefined) {
    const text = `The provider that stores ${job.storedId} does not support this operation (${operation}).`;
    return gatewayError('unsupported_model', text);
  }
  const text = `The provider of ${first.modelName} does not support this operation (${operation}). Choose a model of another provider.`;
  return gatewayError('unsupported_model', text, { param: 'model' });
}

/** Undefined: its provider does not support the operation. @throws GatewayError */
export function planCandidate(
  gateway: Pick<Gateway, 'wallMs'>,
  { job, keySha256, req, requestId, route }: DecodedExchange,
  candidate: Candidate__Output,
): Planned | undefined {
  const { nativeResponses, providerType, upstreamFormat } = candidate;
  if (!isOneOf(PROVIDER_TYPES, providerType) || !isOneOf(UPSTREAM_FORMATS, upstreamFormat)) {
    throw gatewayError('provider_misconfigured');
  }
  const operation = job.endpointOperation?.(upstreamFormat, providerType) ?? route.operation;
  const endpoint = endpointOf(providerType, upstreamFormat, operation, nativeResponses);
  if (!endpoint) {
    return job.ownAnswer && { kind: 'own', candidate, answer: job.ownAnswer };
  }
  const adapter = job.adapter({
    endpoint,
    providerType,
    model: candidate.upstreamModel,
    maxOutputTokens: sentOutputBound(candidate),
    maxToolCalls: candidate.maxToolCalls,
    strict: req.headers['x-tollgate-strict'] === 'true',
    context: {
      requestId,
      provider: candidate.providerLabel,
      model: job.model || candidate.modelName,
      createdAtS: Math.floor(gateway.wallMs() / 1_000),
    },
  });
  const providerRules = providerRulesOf(providerType, upstreamFormat);
  const forwarded = forwardedHeaders(req.headers, providerRules.forwarded, keySha256);
  return { kind: 'call', candidate, endpoint, providerRules, forwarded, adapter };
}
