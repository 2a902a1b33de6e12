import { regionsAllowedBy } from '@tollgate/contracts';
import type { LeftOut } from '@tollgate/contracts/node';

import {
  allowedSentence,
  LEFT_OUT_CODES,
  LEFT_OUT_RANKED,
  regionDetails,
  type LeftOutCode,
  type Refusal,
} from '../decide';
import type { KeyPlan, RoutingPlan } from '../directory';

// The refusal when no candidate is left names what blocks the candidate that came furthest. A
// resting upstream recovers by itself; other causes need an administrator or the client.

const CODE_OF: ReadonlyMap<string | undefined, LeftOutCode> = new Map(
  Object.entries(LEFT_OUT_CODES),
);

const SENTENCES: Readonly<Record<LeftOutCode, string>> = {
  upstream_error:
    'every candidate of it that could serve this request has failed too often lately.',
  upstream_rate_limited:
    'the providers of every candidate that could serve this request limit their traffic.',
  provider_misconfigured: 'no candidate of it is set up to serve this request.',
  unsupported_model: 'no candidate of it can do what this request needs.',
  region_not_allowed:
    'no candidate of it, with the services that screen its requests, is within the regions that this request may use.',
  model_access_denied: 'this key may not use any candidate of it.',
  provider_mismatch:
    'no candidate of it is served by the provider that the request or the route asks for.',
};

export function refusalOf(
  { name, policyId, candidates }: RoutingPlan,
  leftOut: readonly LeftOut[],
  { nowMs, regionRules }: { readonly nowMs: number } & Pick<KeyPlan, 'regionRules'>,
): Refusal & { readonly retryAfterMs: number } {
  const codes = new Set(leftOut.map(({ reason }) => CODE_OF.get(reason)));
  const code = LEFT_OUT_RANKED.find((one) => codes.has(one));
  const ends = leftOut.map(({ untilMs }) => Number(untilMs)).filter((ms) => ms > nowMs);
  const chosen = code ?? 'provider_misconfigured';
  const allowed = regionsAllowedBy(regionRules);
  const more =
    chosen === 'region_not_allowed' && allowed !== undefined
      ? ` ${allowedSentence(allowed, regionRules)} Nothing was sent.`
      : '';
  return {
    code: chosen,
    message: `No candidate of the routing policy "${name}" is left: ${SENTENCES[chosen]}${more}`,
    details: {
      routingPolicy: { id: policyId, name },
      leftOut: leftOut.map(({ modelId, modelName, reason }) => ({
        modelId,
        modelName,
        reason,
        ...(reason === 'region' && modelId !== undefined ? regionOf(candidates, modelId) : {}),
      })),
      ...(codes.has('region_not_allowed') ? regionDetails(regionRules) : {}),
    },
    retryAfterMs: ends.length === 0 ? 0 : Math.min(...ends) - nowMs,
  };
}

/** Where a candidate is, and what its model allows by itself. */
function regionOf(candidates: RoutingPlan['candidates'], modelId: string) {
  const entry = candidates.find((one) => one.modelId === modelId)?.model?.entry;
  const own = entry?.allowedRegions ?? [];
  return {
    region: entry?.region || null,
    ...(own.length > 0 ? { allowedRegions: [...own] } : {}),
  };
}
