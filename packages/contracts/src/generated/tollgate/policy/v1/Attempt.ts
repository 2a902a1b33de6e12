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
   * by which cost_nano_usd was reckoned
   */
  'priceId'?: (string);
  /**
   * it was called beside another one
   */
  'hedge'?: (boolean);
  /**
   * as its answer names the model; else as it was asked for
   */
  'upstreamModel'?: (string);
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
   * by which cost_nano_usd was reckoned
   */
  'priceId': (string);
  /**
   * it was called beside another one
   */
  'hedge': (boolean);
  /**
   * as its answer names the model; else as it was asked for
   */
  'upstreamModel': (string);
}
