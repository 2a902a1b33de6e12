// Original file: protos/tollgate/catalog/v1/directory.proto

import type { AttemptTimeouts as _tollgate_policy_v1_AttemptTimeouts, AttemptTimeouts__Output as _tollgate_policy_v1_AttemptTimeouts__Output } from '../../../tollgate/policy/v1/AttemptTimeouts';

export interface RoutingCandidate {
  'modelId'?: (string);
  /**
   * lower first
   */
  'priority'?: (number);
  'weight'?: (number);
  /**
   * instead of the policy's where not 0
   */
  'timeouts'?: (_tollgate_policy_v1_AttemptTimeouts | null);
}

export interface RoutingCandidate__Output {
  'modelId': (string);
  /**
   * lower first
   */
  'priority': (number);
  'weight': (number);
  /**
   * instead of the policy's where not 0
   */
  'timeouts': (_tollgate_policy_v1_AttemptTimeouts__Output | null);
}
