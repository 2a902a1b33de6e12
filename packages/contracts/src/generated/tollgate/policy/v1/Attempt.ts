// Original file: protos/tollgate/policy/v1/policy.proto

import type { TokenUsage as _tollgate_policy_v1_TokenUsage, TokenUsage__Output as _tollgate_policy_v1_TokenUsage__Output } from '../../../tollgate/policy/v1/TokenUsage';
import type { Long } from '@grpc/proto-loader';

export interface Attempt {
  'modelId'?: (string);
  'providerId'?: (string);
  'connectionVersion'?: (number | string | Long);
  /**
   * OK, HTTP_<status>, TIMEOUT, NETWORK, EARLY_END, ABORTED, INVALID_RESPONSE
   */
  'outcome'?: (string);
  'startedAtMs'?: (number | string | Long);
  'latencyMs'?: (number | string | Long);
  'firstTokenMs'?: (number | string | Long);
  'httpStatus'?: (number);
  'usage'?: (_tollgate_policy_v1_TokenUsage | null);
  'costNanoUsd'?: (string);
  'upstreamRequestId'?: (string);
  /**
   * the price that cost_nano_usd was computed with
   */
  'priceId'?: (string);
  /**
   * it ran beside another attempt
   */
  'hedge'?: (boolean);
  /**
   * the model's name in the answer; else the requested name
   */
  'upstreamModel'?: (string);
  /**
   * why it failed, in the upstream's or the gateway's words; at most 300 characters
   */
  'message'?: (string);
  /**
   * Candidate.region of the candidate that was called; empty: unknown
   */
  'region'?: (string);
  /**
   * What cost_nano_usd would be if the provider had cached nothing: what was read from and written to its caches, at
   * the price of plain input. Empty: its caches were not used.
   */
  'uncachedCostNanoUsd'?: (string);
  /**
   * the tiers of cost_nano_usd, as Candidate.service_tier
   */
  'serviceTier'?: (string);
}

export interface Attempt__Output {
  'modelId': (string);
  'providerId': (string);
  'connectionVersion': (number);
  /**
   * OK, HTTP_<status>, TIMEOUT, NETWORK, EARLY_END, ABORTED, INVALID_RESPONSE
   */
  'outcome': (string);
  'startedAtMs': (number);
  'latencyMs': (number);
  'firstTokenMs': (number);
  'httpStatus': (number);
  'usage': (_tollgate_policy_v1_TokenUsage__Output | null);
  'costNanoUsd': (string);
  'upstreamRequestId': (string);
  /**
   * the price that cost_nano_usd was computed with
   */
  'priceId': (string);
  /**
   * it ran beside another attempt
   */
  'hedge': (boolean);
  /**
   * the model's name in the answer; else the requested name
   */
  'upstreamModel': (string);
  /**
   * why it failed, in the upstream's or the gateway's words; at most 300 characters
   */
  'message': (string);
  /**
   * Candidate.region of the candidate that was called; empty: unknown
   */
  'region': (string);
  /**
   * What cost_nano_usd would be if the provider had cached nothing: what was read from and written to its caches, at
   * the price of plain input. Empty: its caches were not used.
   */
  'uncachedCostNanoUsd': (string);
  /**
   * the tiers of cost_nano_usd, as Candidate.service_tier
   */
  'serviceTier': (string);
}
