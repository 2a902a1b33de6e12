// Original file: protos/tollgate/catalog/v1/directory.proto

import type { RoutingCandidate as _tollgate_catalog_v1_RoutingCandidate, RoutingCandidate__Output as _tollgate_catalog_v1_RoutingCandidate__Output } from '../../../tollgate/catalog/v1/RoutingCandidate';
import type { AttemptTimeouts as _tollgate_policy_v1_AttemptTimeouts, AttemptTimeouts__Output as _tollgate_policy_v1_AttemptTimeouts__Output } from '../../../tollgate/policy/v1/AttemptTimeouts';
import type { Long } from '@grpc/proto-loader';

/**
 * Which models can replace one another, in which order, and after which failures.
 */
export interface RoutingPolicy {
  'policyId'?: (string);
  /**
   * requests may name it instead of a model
   */
  'name'?: (string);
  /**
   * failover, priority, round_robin, weighted, lowest_latency, lowest_cost
   */
  'strategy'?: (string);
  /**
   * in the order given; 1 to 16
   */
  'candidates'?: (_tollgate_catalog_v1_RoutingCandidate)[];
  /**
   * 5xx, timeout, rate_limit, any
   */
  'triggers'?: (string)[];
  /**
   * of every attempt
   */
  'timeouts'?: (_tollgate_policy_v1_AttemptTimeouts | null);
  /**
   * 0: none
   */
  'totalTimeoutMs'?: (number | string | Long);
  'retries'?: (number);
  /**
   * 0: never
   */
  'hedgeAfterMs'?: (number | string | Long);
}

/**
 * Which models can replace one another, in which order, and after which failures.
 */
export interface RoutingPolicy__Output {
  'policyId': (string);
  /**
   * requests may name it instead of a model
   */
  'name': (string);
  /**
   * failover, priority, round_robin, weighted, lowest_latency, lowest_cost
   */
  'strategy': (string);
  /**
   * in the order given; 1 to 16
   */
  'candidates': (_tollgate_catalog_v1_RoutingCandidate__Output)[];
  /**
   * 5xx, timeout, rate_limit, any
   */
  'triggers': (string)[];
  /**
   * of every attempt
   */
  'timeouts': (_tollgate_policy_v1_AttemptTimeouts__Output | null);
  /**
   * 0: none
   */
  'totalTimeoutMs': (number);
  'retries': (number);
  /**
   * 0: never
   */
  'hedgeAfterMs': (number);
}
