// Original file: protos/tollgate/policy/v1/policy.proto

import type { SessionItem as _tollgate_policy_v1_SessionItem, SessionItem__Output as _tollgate_policy_v1_SessionItem__Output } from '../../../tollgate/policy/v1/SessionItem';
import type { AttemptReport as _tollgate_policy_v1_AttemptReport, AttemptReport__Output as _tollgate_policy_v1_AttemptReport__Output } from '../../../tollgate/policy/v1/AttemptReport';

export interface SessionRequest {
  /**
   * at most 256
   */
  'items'?: (_tollgate_policy_v1_SessionItem)[];
  /**
   * at most 256; not answered
   */
  'attempts'?: (_tollgate_policy_v1_AttemptReport)[];
}

export interface SessionRequest__Output {
  /**
   * at most 256
   */
  'items': (_tollgate_policy_v1_SessionItem__Output)[];
  /**
   * at most 256; not answered
   */
  'attempts': (_tollgate_policy_v1_AttemptReport__Output)[];
}
