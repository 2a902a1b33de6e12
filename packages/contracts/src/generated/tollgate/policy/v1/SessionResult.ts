// Original file: protos/tollgate/policy/v1/policy.proto

import type { AuthorizeReply as _tollgate_policy_v1_AuthorizeReply, AuthorizeReply__Output as _tollgate_policy_v1_AuthorizeReply__Output } from '../../../tollgate/policy/v1/AuthorizeReply';
import type { ExtendReply as _tollgate_policy_v1_ExtendReply, ExtendReply__Output as _tollgate_policy_v1_ExtendReply__Output } from '../../../tollgate/policy/v1/ExtendReply';
import type { SettleReply as _tollgate_policy_v1_SettleReply, SettleReply__Output as _tollgate_policy_v1_SettleReply__Output } from '../../../tollgate/policy/v1/SettleReply';
import type { SessionFailure as _tollgate_policy_v1_SessionFailure, SessionFailure__Output as _tollgate_policy_v1_SessionFailure__Output } from '../../../tollgate/policy/v1/SessionFailure';
import type { ConfirmKeyReply as _tollgate_policy_v1_ConfirmKeyReply, ConfirmKeyReply__Output as _tollgate_policy_v1_ConfirmKeyReply__Output } from '../../../tollgate/policy/v1/ConfirmKeyReply';

export interface SessionResult {
  'correlationId'?: (number);
  'authorize'?: (_tollgate_policy_v1_AuthorizeReply | null);
  'extend'?: (_tollgate_policy_v1_ExtendReply | null);
  'settle'?: (_tollgate_policy_v1_SettleReply | null);
  'failure'?: (_tollgate_policy_v1_SessionFailure | null);
  'confirmKey'?: (_tollgate_policy_v1_ConfirmKeyReply | null);
  'result'?: "authorize"|"extend"|"settle"|"failure"|"confirmKey";
}

export interface SessionResult__Output {
  'correlationId': (number);
  'authorize'?: (_tollgate_policy_v1_AuthorizeReply__Output | null);
  'extend'?: (_tollgate_policy_v1_ExtendReply__Output | null);
  'settle'?: (_tollgate_policy_v1_SettleReply__Output | null);
  'failure'?: (_tollgate_policy_v1_SessionFailure__Output | null);
  'confirmKey'?: (_tollgate_policy_v1_ConfirmKeyReply__Output | null);
  'result'?: "authorize"|"extend"|"settle"|"failure"|"confirmKey";
}
