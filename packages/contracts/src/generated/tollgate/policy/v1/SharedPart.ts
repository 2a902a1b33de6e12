// Original file: protos/tollgate/policy/v1/policy.proto

import type { Subject as _tollgate_policy_v1_Subject, Subject__Output as _tollgate_policy_v1_Subject__Output } from '../../../tollgate/policy/v1/Subject';
import type { Candidate as _tollgate_policy_v1_Candidate, Candidate__Output as _tollgate_policy_v1_Candidate__Output } from '../../../tollgate/policy/v1/Candidate';
import type { LimitState as _tollgate_policy_v1_LimitState, LimitState__Output as _tollgate_policy_v1_LimitState__Output } from '../../../tollgate/policy/v1/LimitState';

/**
 * What is the same in the allows of many requests. Ids begin at 1 and are not given twice, except after
 * shared_cleared. One of the last three fields is set.
 */
export interface SharedPart {
  'id'?: (number);
  'subject'?: (_tollgate_policy_v1_Subject | null);
  'candidate'?: (_tollgate_policy_v1_Candidate | null);
  'limit'?: (_tollgate_policy_v1_LimitState | null);
}

/**
 * What is the same in the allows of many requests. Ids begin at 1 and are not given twice, except after
 * shared_cleared. One of the last three fields is set.
 */
export interface SharedPart__Output {
  'id': (number);
  'subject': (_tollgate_policy_v1_Subject__Output | null);
  'candidate': (_tollgate_policy_v1_Candidate__Output | null);
  'limit': (_tollgate_policy_v1_LimitState__Output | null);
}
