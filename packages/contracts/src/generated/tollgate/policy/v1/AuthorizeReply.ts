// Original file: protos/tollgate/policy/v1/policy.proto

import type { Allow as _tollgate_policy_v1_Allow, Allow__Output as _tollgate_policy_v1_Allow__Output } from '../../../tollgate/policy/v1/Allow';
import type { Denial as _tollgate_policy_v1_Denial, Denial__Output as _tollgate_policy_v1_Denial__Output } from '../../../tollgate/policy/v1/Denial';

export interface AuthorizeReply {
  'allow'?: (_tollgate_policy_v1_Allow | null);
  'denial'?: (_tollgate_policy_v1_Denial | null);
  'decision'?: "allow"|"denial";
}

export interface AuthorizeReply__Output {
  'allow'?: (_tollgate_policy_v1_Allow__Output | null);
  'denial'?: (_tollgate_policy_v1_Denial__Output | null);
  'decision'?: "allow"|"denial";
}
