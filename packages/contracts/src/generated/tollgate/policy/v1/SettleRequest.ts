// Original file: protos/tollgate/policy/v1/policy.proto

import type { TokenUsage as _tollgate_policy_v1_TokenUsage, TokenUsage__Output as _tollgate_policy_v1_TokenUsage__Output } from '../../../tollgate/policy/v1/TokenUsage';
import type { Attempt as _tollgate_policy_v1_Attempt, Attempt__Output as _tollgate_policy_v1_Attempt__Output } from '../../../tollgate/policy/v1/Attempt';
import type { Long } from '@grpc/proto-loader';

export interface SettleRequest {
  'requestId'?: (string);
  'holdToken'?: (Buffer | Uint8Array | string);
  /**
   * the upstream never billed; everything is given back
   */
  'cancelled'?: (boolean);
  /**
   * COMPLETED, PARTIAL, FAILED, BUDGET_STOPPED, CLIENT_CLOSED
   */
  'outcome'?: (string);
  /**
   * of all attempts that are billed, together
   */
  'usage'?: (_tollgate_policy_v1_TokenUsage | null);
  /**
   * billable units beside tokens, decimal strings
   */
  'units'?: ({[key: string]: string});
  /**
   * EXACT, ESTIMATED, UNKNOWN
   */
  'usageQuality'?: (string);
  /**
   * of all attempts, each by its candidate's price at the authorise instant
   */
  'costNanoUsd'?: (string);
  /**
   * the candidate that answered; the first one when none did
   */
  'modelId'?: (string);
  'providerId'?: (string);
  'priceId'?: (string);
  /**
   * what the client was answered
   */
  'httpStatus'?: (number);
  /**
   * empty on success
   */
  'errorCode'?: (string);
  'latencyMs'?: (number | string | Long);
  /**
   * 0: no token came
   */
  'firstTokenMs'?: (number | string | Long);
  /**
   * sum over attempts
   */
  'upstreamMs'?: (number | string | Long);
  'stopReason'?: (string);
  'stream'?: (boolean);
  'upstreamRequestId'?: (string);
  /**
   * the provider's response id, where a follow-up must stick to it
   */
  'responseId'?: (string);
  'attempts'?: (_tollgate_policy_v1_Attempt)[];
}

export interface SettleRequest__Output {
  'requestId': (string);
  'holdToken': (Buffer);
  /**
   * the upstream never billed; everything is given back
   */
  'cancelled': (boolean);
  /**
   * COMPLETED, PARTIAL, FAILED, BUDGET_STOPPED, CLIENT_CLOSED
   */
  'outcome': (string);
  /**
   * of all attempts that are billed, together
   */
  'usage': (_tollgate_policy_v1_TokenUsage__Output | null);
  /**
   * billable units beside tokens, decimal strings
   */
  'units': ({[key: string]: string});
  /**
   * EXACT, ESTIMATED, UNKNOWN
   */
  'usageQuality': (string);
  /**
   * of all attempts, each by its candidate's price at the authorise instant
   */
  'costNanoUsd': (string);
  /**
   * the candidate that answered; the first one when none did
   */
  'modelId': (string);
  'providerId': (string);
  'priceId': (string);
  /**
   * what the client was answered
   */
  'httpStatus': (number);
  /**
   * empty on success
   */
  'errorCode': (string);
  'latencyMs': (number);
  /**
   * 0: no token came
   */
  'firstTokenMs': (number);
  /**
   * sum over attempts
   */
  'upstreamMs': (number);
  'stopReason': (string);
  'stream': (boolean);
  'upstreamRequestId': (string);
  /**
   * the provider's response id, where a follow-up must stick to it
   */
  'responseId': (string);
  'attempts': (_tollgate_policy_v1_Attempt__Output)[];
}
