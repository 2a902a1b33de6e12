// Original file: protos/tollgate/policy/v1/policy.proto

import type { SessionItem as _tollgate_policy_v1_SessionItem, SessionItem__Output as _tollgate_policy_v1_SessionItem__Output } from '../../../tollgate/policy/v1/SessionItem';

export interface SessionRequest {
  /**
   * at most 256
   */
  'items'?: (_tollgate_policy_v1_SessionItem)[];
}

export interface SessionRequest__Output {
  /**
   * at most 256
   */
  'items': (_tollgate_policy_v1_SessionItem__Output)[];
}
