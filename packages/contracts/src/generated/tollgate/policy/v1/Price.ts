// Original file: protos/tollgate/policy/v1/policy.proto

import type { PriceStep as _tollgate_policy_v1_PriceStep, PriceStep__Output as _tollgate_policy_v1_PriceStep__Output } from '../../../tollgate/policy/v1/PriceStep';
import type { Long } from '@grpc/proto-loader';

/**
 * The price of one model, valid from an instant on.
 */
export interface Price {
  'priceId'?: (string);
  'effectiveFromMs'?: (number | string | Long);
  /**
   * ascending by from_input_tokens, the first at 0
   */
  'steps'?: (_tollgate_policy_v1_PriceStep)[];
  /**
   * added once per answered request
   */
  'perRequestNanoUsd'?: (string);
  /**
   * nano-USD per unit: image sizes, audio_second, …
   */
  'perUnitNanoUsd'?: ({[key: string]: string});
  /**
   * Percent of the token prices by processing tier, as decimal strings of at most two places; names as in
   * ServiceTier.name. A tier without one costs 100.
   */
  'tierPercent'?: ({[key: string]: string});
}

/**
 * The price of one model, valid from an instant on.
 */
export interface Price__Output {
  'priceId': (string);
  'effectiveFromMs': (number);
  /**
   * ascending by from_input_tokens, the first at 0
   */
  'steps': (_tollgate_policy_v1_PriceStep__Output)[];
  /**
   * added once per answered request
   */
  'perRequestNanoUsd': (string);
  /**
   * nano-USD per unit: image sizes, audio_second, …
   */
  'perUnitNanoUsd': ({[key: string]: string});
  /**
   * Percent of the token prices by processing tier, as decimal strings of at most two places; names as in
   * ServiceTier.name. A tier without one costs 100.
   */
  'tierPercent': ({[key: string]: string});
}
