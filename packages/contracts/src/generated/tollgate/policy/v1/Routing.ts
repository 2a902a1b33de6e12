// Original file: protos/tollgate/policy/v1/policy.proto

import type { LeftOut as _tollgate_policy_v1_LeftOut, LeftOut__Output as _tollgate_policy_v1_LeftOut__Output } from '../../../tollgate/policy/v1/LeftOut';
import type { Long } from '@grpc/proto-loader';

/**
 * How the candidates of a request are to be tried. Absent where no routing policy applies: then there
 * is one candidate, and nothing is reported of its attempts.
 */
export interface Routing {
  'policyId'?: (string);
  'policyName'?: (string);
  /**
   * failover, priority, round_robin, weighted, lowest_latency, lowest_cost
   */
  'strategy'?: (string);
  /**
   * which failures go on to the next candidate: 5xx, timeout, rate_limit, any
   */
  'triggers'?: (string)[];
  /**
   * over all attempts, until the first byte for the client; 0: none
   */
  'totalTimeoutMs'?: (number | string | Long);
  /**
   * how often one candidate is tried again where that is safe, before the next
   */
  'retries'?: (number);
  /**
   * the next candidate is called beside a silent one after this long; 0: never
   */
  'hedgeAfterMs'?: (number | string | Long);
  'leftOut'?: (_tollgate_policy_v1_LeftOut)[];
}

/**
 * How the candidates of a request are to be tried. Absent where no routing policy applies: then there
 * is one candidate, and nothing is reported of its attempts.
 */
export interface Routing__Output {
  'policyId': (string);
  'policyName': (string);
  /**
   * failover, priority, round_robin, weighted, lowest_latency, lowest_cost
   */
  'strategy': (string);
  /**
   * which failures go on to the next candidate: 5xx, timeout, rate_limit, any
   */
  'triggers': (string)[];
  /**
   * over all attempts, until the first byte for the client; 0: none
   */
  'totalTimeoutMs': (number);
  /**
   * how often one candidate is tried again where that is safe, before the next
   */
  'retries': (number);
  /**
   * the next candidate is called beside a silent one after this long; 0: never
   */
  'hedgeAfterMs': (number);
  'leftOut': (_tollgate_policy_v1_LeftOut__Output)[];
}
