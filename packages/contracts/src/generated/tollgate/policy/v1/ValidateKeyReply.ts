// Original file: protos/tollgate/policy/v1/policy.proto

import type { Denial as _tollgate_policy_v1_Denial, Denial__Output as _tollgate_policy_v1_Denial__Output } from '../../../tollgate/policy/v1/Denial';
import type { Subject as _tollgate_policy_v1_Subject, Subject__Output as _tollgate_policy_v1_Subject__Output } from '../../../tollgate/policy/v1/Subject';
import type { GrantedModel as _tollgate_policy_v1_GrantedModel, GrantedModel__Output as _tollgate_policy_v1_GrantedModel__Output } from '../../../tollgate/policy/v1/GrantedModel';
import type { LimitState as _tollgate_policy_v1_LimitState, LimitState__Output as _tollgate_policy_v1_LimitState__Output } from '../../../tollgate/policy/v1/LimitState';
import type { Long } from '@grpc/proto-loader';

export interface ValidateKeyReply {
  'valid'?: (boolean);
  /**
   * when not valid
   */
  'denial'?: (_tollgate_policy_v1_Denial | null);
  'subject'?: (_tollgate_policy_v1_Subject | null);
  'models'?: (_tollgate_policy_v1_GrantedModel)[];
  'mcpServerIds'?: (string)[];
  'limits'?: (_tollgate_policy_v1_LimitState)[];
  /**
   * 0: never
   */
  'expiresAtMs'?: (number | string | Long);
}

export interface ValidateKeyReply__Output {
  'valid': (boolean);
  /**
   * when not valid
   */
  'denial': (_tollgate_policy_v1_Denial__Output | null);
  'subject': (_tollgate_policy_v1_Subject__Output | null);
  'models': (_tollgate_policy_v1_GrantedModel__Output)[];
  'mcpServerIds': (string)[];
  'limits': (_tollgate_policy_v1_LimitState__Output)[];
  /**
   * 0: never
   */
  'expiresAtMs': (number);
}
