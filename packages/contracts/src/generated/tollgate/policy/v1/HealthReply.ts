// Original file: protos/tollgate/policy/v1/policy.proto

import type { DependencyHealth as _tollgate_policy_v1_DependencyHealth, DependencyHealth__Output as _tollgate_policy_v1_DependencyHealth__Output } from '../../../tollgate/policy/v1/DependencyHealth';

export interface HealthReply {
  /**
   * whether new requests can be decided now
   */
  'serving'?: (boolean);
  'dependencies'?: (_tollgate_policy_v1_DependencyHealth)[];
}

export interface HealthReply__Output {
  /**
   * whether new requests can be decided now
   */
  'serving': (boolean);
  'dependencies': (_tollgate_policy_v1_DependencyHealth__Output)[];
}
