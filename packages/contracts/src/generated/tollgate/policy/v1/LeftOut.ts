// Original file: protos/tollgate/policy/v1/policy.proto

import type { Long } from '@grpc/proto-loader';

/**
 * A candidate that this request cannot use, with the reason.
 */
export interface LeftOut {
  'modelId'?: (string);
  /**
   * empty: the model is gone
   */
  'modelName'?: (string);
  /**
   * model_unavailable, not_granted, operation, route_family, provider_pin, capability_tools,
   * capability_vision, capability_audio, context_window, provider_inactive, no_price, no_unit_price,
   * no_tier_price, limit_reached, breaker_open, breaker_probing, cooldown, region, screening_region, sunset
   */
  'reason'?: (string);
  /**
   * when it may be tried again; 0: independent of time
   */
  'untilMs'?: (number | string | Long);
}

/**
 * A candidate that this request cannot use, with the reason.
 */
export interface LeftOut__Output {
  'modelId': (string);
  /**
   * empty: the model is gone
   */
  'modelName': (string);
  /**
   * model_unavailable, not_granted, operation, route_family, provider_pin, capability_tools,
   * capability_vision, capability_audio, context_window, provider_inactive, no_price, no_unit_price,
   * no_tier_price, limit_reached, breaker_open, breaker_probing, cooldown, region, screening_region, sunset
   */
  'reason': (string);
  /**
   * when it may be tried again; 0: independent of time
   */
  'untilMs': (number);
}
