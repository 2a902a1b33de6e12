// The error code of a request that a candidate or a shadow could not answer.
import type { ErrorCode } from '@tollgate/contracts';

import type { LeftOutReason } from './checks';

/** By rank: a refusal has the first code of which a reason blocks a candidate. */
export const LEFT_OUT_RANKED = [
  'upstream_error',
  'upstream_rate_limited',
  'provider_misconfigured',
  'unsupported_model',
  'region_not_allowed',
  'model_access_denied',
  'provider_mismatch',
] as const satisfies readonly ErrorCode[];
export type LeftOutCode = (typeof LEFT_OUT_RANKED)[number];

/** A candidate that only lacks room in a limit is refused by that limit. */
export const LEFT_OUT_CODES: Readonly<
  Record<Exclude<LeftOutReason, 'limit_reached'>, LeftOutCode>
> = {
  breaker_open: 'upstream_error',
  breaker_probing: 'upstream_error',
  cooldown: 'upstream_rate_limited',
  provider_inactive: 'provider_misconfigured',
  no_price: 'provider_misconfigured',
  no_unit_price: 'provider_misconfigured',
  no_tier_price: 'provider_misconfigured',
  model_unavailable: 'provider_misconfigured',
  sunset: 'provider_misconfigured',
  capability_tools: 'unsupported_model',
  capability_vision: 'unsupported_model',
  capability_audio: 'unsupported_model',
  context_window: 'unsupported_model',
  operation: 'unsupported_model',
  region: 'region_not_allowed',
  screening_region: 'region_not_allowed',
  not_granted: 'model_access_denied',
  provider_pin: 'provider_mismatch',
  route_family: 'provider_mismatch',
};
