import type { ErrorCode } from '@tollgate/contracts';
import type { LeftOut } from '@tollgate/contracts/node';

import type { LeftOutReason, Refusal } from '../decide';
import type { RoutingPlan } from '../directory';

// The refusal when no candidate is left names what blocks the candidate that came furthest. A
// resting upstream recovers by itself; other causes need an administrator or the client.
const CODES: readonly (readonly [code: ErrorCode, reasons: readonly LeftOutReason[]])[] = [
  ['upstream_error', ['breaker_open', 'breaker_probing']],
  ['upstream_rate_limited', ['cooldown']],
  [
    'provider_misconfigured',
    ['provider_inactive', 'no_price', 'no_unit_price', 'model_unavailable'],
  ],
  [
    'unsupported_model',
    ['capability_tools', 'capability_vision', 'capability_audio', 'context_window', 'operation'],
  ],
  ['model_access_denied', ['not_granted']],
  ['provider_mismatch', ['provider_pin', 'route_family']],
];

const SENTENCES: Partial<Record<ErrorCode, string>> = {
  upstream_error:
    'every candidate of it that could serve this request has failed too often lately.',
  upstream_rate_limited:
    'the providers of every candidate that could serve this request limit their traffic.',
  provider_misconfigured: 'no candidate of it is set up to serve this request.',
  unsupported_model: 'no candidate of it can do what this request needs.',
  model_access_denied: 'this key may not use any candidate of it.',
  provider_mismatch:
    'no candidate of it is served by the provider that the request or the route asks for.',
};

export function refusalOf(
  { name, policyId }: RoutingPlan,
  leftOut: readonly LeftOut[],
  nowMs: number,
): Refusal & { readonly retryAfterMs: number } {
  const reasons = new Set(leftOut.map(({ reason }) => reason));
  const code = CODES.find(([, some]) => some.some((reason) => reasons.has(reason)))?.[0];
  const ends = leftOut.map(({ untilMs }) => Number(untilMs)).filter((ms) => ms > nowMs);
  const chosen = code ?? 'provider_misconfigured';
  return {
    code: chosen,
    message: `No candidate of the routing policy "${name}" is left: ${SENTENCES[chosen] ?? ''}`,
    details: {
      routingPolicy: { id: policyId, name },
      leftOut: leftOut.map(({ modelId, modelName, reason }) => ({ modelId, modelName, reason })),
    },
    retryAfterMs: ends.length === 0 ? 0 : Math.min(...ends) - nowMs,
  };
}
