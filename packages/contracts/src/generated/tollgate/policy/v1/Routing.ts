// Original file: protos/tollgate/policy/v1/policy.proto

import type { LeftOut as _tollgate_policy_v1_LeftOut, LeftOut__Output as _tollgate_policy_v1_LeftOut__Output } from '../../../tollgate/policy/v1/LeftOut';
import type { Price as _tollgate_policy_v1_Price, Price__Output as _tollgate_policy_v1_Price__Output } from '../../../tollgate/policy/v1/Price';
import type { Long } from '@grpc/proto-loader';

/**
 * How to try the candidates of a request. Absent without a routing policy: then there is one candidate
 * and its attempts are not reported.
 */
export interface Routing {
  'policyId'?: (string);
  'policyName'?: (string);
  /**
   * failover, priority, round_robin, weighted, lowest_latency, lowest_cost
   */
  'strategy'?: (string);
  /**
   * failures that lead to the next candidate: 5xx, timeout, rate_limit, any
   */
  'triggers'?: (string)[];
  /**
   * over all attempts, until the first byte for the client; 0: none
   */
  'totalTimeoutMs'?: (number | string | Long);
  /**
   * safe retries of one candidate before the next
   */
  'retries'?: (number);
  /**
   * start a second attempt beside a silent one after this long; 0: never
   */
  'hedgeAfterMs'?: (number | string | Long);
  'leftOut'?: (_tollgate_policy_v1_LeftOut)[];
  /**
   * The candidate that would answer without routing: the model that the request names, else the policy's first one.
   * Records compare their cost with its price.
   */
  'firstModelId'?: (string);
  /**
   * only where that candidate is not among Allow.candidates; absent: unknown
   */
  'firstPrice'?: (_tollgate_policy_v1_Price | null);
  /**
   * The conversation begins at another candidate than the one where policy would look for it. The report of the first
   * candidate's answer names the conversation, so that its next turns find it.
   */
  'rememberPlace'?: (boolean);
}

/**
 * How to try the candidates of a request. Absent without a routing policy: then there is one candidate
 * and its attempts are not reported.
 */
export interface Routing__Output {
  'policyId': (string);
  'policyName': (string);
  /**
   * failover, priority, round_robin, weighted, lowest_latency, lowest_cost
   */
  'strategy': (string);
  /**
   * failures that lead to the next candidate: 5xx, timeout, rate_limit, any
   */
  'triggers': (string)[];
  /**
   * over all attempts, until the first byte for the client; 0: none
   */
  'totalTimeoutMs': (number);
  /**
   * safe retries of one candidate before the next
   */
  'retries': (number);
  /**
   * start a second attempt beside a silent one after this long; 0: never
   */
  'hedgeAfterMs': (number);
  'leftOut': (_tollgate_policy_v1_LeftOut__Output)[];
  /**
   * The candidate that would answer without routing: the model that the request names, else the policy's first one.
   * Records compare their cost with its price.
   */
  'firstModelId': (string);
  /**
   * only where that candidate is not among Allow.candidates; absent: unknown
   */
  'firstPrice': (_tollgate_policy_v1_Price__Output | null);
  /**
   * The conversation begins at another candidate than the one where policy would look for it. The report of the first
   * candidate's answer names the conversation, so that its next turns find it.
   */
  'rememberPlace': (boolean);
}
