// Original file: protos/tollgate/policy/v1/policy.proto

import type { AuthorizeRequest as _tollgate_policy_v1_AuthorizeRequest, AuthorizeRequest__Output as _tollgate_policy_v1_AuthorizeRequest__Output } from '../../../tollgate/policy/v1/AuthorizeRequest';
import type { ExtendRequest as _tollgate_policy_v1_ExtendRequest, ExtendRequest__Output as _tollgate_policy_v1_ExtendRequest__Output } from '../../../tollgate/policy/v1/ExtendRequest';
import type { SettleRequest as _tollgate_policy_v1_SettleRequest, SettleRequest__Output as _tollgate_policy_v1_SettleRequest__Output } from '../../../tollgate/policy/v1/SettleRequest';
import type { ConfirmKeyRequest as _tollgate_policy_v1_ConfirmKeyRequest, ConfirmKeyRequest__Output as _tollgate_policy_v1_ConfirmKeyRequest__Output } from '../../../tollgate/policy/v1/ConfirmKeyRequest';

export interface SessionItem {
  'correlationId'?: (number);
  'authorize'?: (_tollgate_policy_v1_AuthorizeRequest | null);
  'extend'?: (_tollgate_policy_v1_ExtendRequest | null);
  'settle'?: (_tollgate_policy_v1_SettleRequest | null);
  'confirmKey'?: (_tollgate_policy_v1_ConfirmKeyRequest | null);
  'item'?: "authorize"|"extend"|"settle"|"confirmKey";
}

export interface SessionItem__Output {
  'correlationId': (number);
  'authorize'?: (_tollgate_policy_v1_AuthorizeRequest__Output | null);
  'extend'?: (_tollgate_policy_v1_ExtendRequest__Output | null);
  'settle'?: (_tollgate_policy_v1_SettleRequest__Output | null);
  'confirmKey'?: (_tollgate_policy_v1_ConfirmKeyRequest__Output | null);
  'item'?: "authorize"|"extend"|"settle"|"confirmKey";
}
