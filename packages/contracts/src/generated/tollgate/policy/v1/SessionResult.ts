// Original file: protos/tollgate/policy/v1/policy.proto

import type { AuthorizeReply as _tollgate_policy_v1_AuthorizeReply, AuthorizeReply__Output as _tollgate_policy_v1_AuthorizeReply__Output } from '../../../tollgate/policy/v1/AuthorizeReply';
import type { ExtendReply as _tollgate_policy_v1_ExtendReply, ExtendReply__Output as _tollgate_policy_v1_ExtendReply__Output } from '../../../tollgate/policy/v1/ExtendReply';
import type { SettleReply as _tollgate_policy_v1_SettleReply, SettleReply__Output as _tollgate_policy_v1_SettleReply__Output } from '../../../tollgate/policy/v1/SettleReply';
import type { SessionFailure as _tollgate_policy_v1_SessionFailure, SessionFailure__Output as _tollgate_policy_v1_SessionFailure__Output } from '../../../tollgate/policy/v1/SessionFailure';

export interface SessionResult {
  'correlationId'?: (number);
  'authorize'?: (_tollgate_policy_v1_AuthorizeReply | null);
  'extend'?: (_tollgate_policy_v1_ExtendReply | null);
  'settle'?: (_tollgate_policy_v1_SettleReply | null);
  'failure'?: (_tollgate_policy_v1_SessionFailure | null);
  'result'?: "authorize"|"extend"|"settle"|"failure";
}

export interface SessionResult__Output {
  'correlationId': (number);
  'authorize'?: (_tollgate_policy_v1_AuthorizeReply__Output | null);
  'extend'?: (_tollgate_policy_v1_ExtendReply__Output | null);
  'settle'?: (_tollgate_policy_v1_SettleReply__Output | null);
  'failure'?: (_tollgate_policy_v1_SessionFailure__Output | null);
  'result'?: "authorize"|"extend"|"settle"|"failure";
}
