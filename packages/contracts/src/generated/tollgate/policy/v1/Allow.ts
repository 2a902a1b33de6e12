// Original file: protos/tollgate/policy/v1/policy.proto

import type { Subject as _tollgate_policy_v1_Subject, Subject__Output as _tollgate_policy_v1_Subject__Output } from '../../../tollgate/policy/v1/Subject';
import type { Candidate as _tollgate_policy_v1_Candidate, Candidate__Output as _tollgate_policy_v1_Candidate__Output } from '../../../tollgate/policy/v1/Candidate';
import type { LimitState as _tollgate_policy_v1_LimitState, LimitState__Output as _tollgate_policy_v1_LimitState__Output } from '../../../tollgate/policy/v1/LimitState';
import type { Routing as _tollgate_policy_v1_Routing, Routing__Output as _tollgate_policy_v1_Routing__Output } from '../../../tollgate/policy/v1/Routing';
import type { PendingResponse as _tollgate_policy_v1_PendingResponse, PendingResponse__Output as _tollgate_policy_v1_PendingResponse__Output } from '../../../tollgate/policy/v1/PendingResponse';
import type { McpTarget as _tollgate_policy_v1_McpTarget, McpTarget__Output as _tollgate_policy_v1_McpTarget__Output } from '../../../tollgate/policy/v1/McpTarget';
import type { ScreeningRef as _tollgate_policy_v1_ScreeningRef, ScreeningRef__Output as _tollgate_policy_v1_ScreeningRef__Output } from '../../../tollgate/policy/v1/ScreeningRef';
import type { Attribution as _tollgate_policy_v1_Attribution, Attribution__Output as _tollgate_policy_v1_Attribution__Output } from '../../../tollgate/policy/v1/Attribution';
import type { Retirement as _tollgate_policy_v1_Retirement, Retirement__Output as _tollgate_policy_v1_Retirement__Output } from '../../../tollgate/policy/v1/Retirement';
import type { ResponseCache as _tollgate_policy_v1_ResponseCache, ResponseCache__Output as _tollgate_policy_v1_ResponseCache__Output } from '../../../tollgate/policy/v1/ResponseCache';
import type { PassthroughTarget as _tollgate_policy_v1_PassthroughTarget, PassthroughTarget__Output as _tollgate_policy_v1_PassthroughTarget__Output } from '../../../tollgate/policy/v1/PassthroughTarget';
import type { ExperimentArm as _tollgate_policy_v1_ExperimentArm, ExperimentArm__Output as _tollgate_policy_v1_ExperimentArm__Output } from '../../../tollgate/policy/v1/ExperimentArm';
import type { Shadow as _tollgate_policy_v1_Shadow, Shadow__Output as _tollgate_policy_v1_Shadow__Output } from '../../../tollgate/policy/v1/Shadow';
import type { KeptBodies as _tollgate_policy_v1_KeptBodies, KeptBodies__Output as _tollgate_policy_v1_KeptBodies__Output } from '../../../tollgate/policy/v1/KeptBodies';
import type { Long } from '@grpc/proto-loader';

export interface Allow {
  /**
   * opaque; send it back with extend and settle
   */
  'holdToken'?: (Buffer | Uint8Array | string);
  'leaseUntilMs'?: (number | string | Long);
  'subject'?: (_tollgate_policy_v1_Subject | null);
  /**
   * in the order to try
   */
  'candidates'?: (_tollgate_policy_v1_Candidate)[];
  /**
   * every limit that was checked, the tightest first
   */
  'limits'?: (_tollgate_policy_v1_LimitState)[];
  /**
   * ids of soft limits that this request exceeds
   */
  'softExceeded'?: (string)[];
  'heldNanoUsd'?: (string);
  /**
   * max_output_tokens was lowered to what a budget affords
   */
  'clamped'?: (boolean);
  /**
   * only where a routing policy applies
   */
  'routing'?: (_tollgate_policy_v1_Routing | null);
  /**
   * the operation is about a response whose usage is not booked yet
   */
  'pending'?: (_tollgate_policy_v1_PendingResponse | null);
  /**
   * the client may read the provider's own name for the model
   */
  'tellUpstreamModel'?: (boolean);
  /**
   * length of a lease from its grant; 0: sent by an older policy
   */
  'leaseMs'?: (number | string | Long);
  /**
   * Stored tokens that the provider reads again for this request and bills as input, at most; the hold
   * covers them. An answer without reported usage is charged for them.
   */
  'readTokens'?: (number | string | Long);
  /**
   * of the operations mcp_call and mcp_request, which have no candidates
   */
  'mcp'?: (_tollgate_policy_v1_McpTarget | null);
  /**
   * every policy that applies to the request
   */
  'screening'?: (_tollgate_policy_v1_ScreeningRef)[];
  /**
   * only in a session: the shared part that has the subject; 0: it is here
   */
  'subjectId'?: (number);
  /**
   * The float that the hold is part of. Only the policy process that decided it knows such a hold: it is extended
   * and settled over the same session while that is open, and adopted over another one when the session ends or
   * `adopt_floats` names the float. Empty: the store has the hold.
   */
  'floatId'?: (string);
  /**
   * the organisation wants prompts and answers in the spans of traced requests
   */
  'traceContent'?: (boolean);
  /**
   * absent: nothing was claimed, or an older policy decided
   */
  'attribution'?: (_tollgate_policy_v1_Attribution | null);
  /**
   * of the name that the request asked for; absent: it has no end
   */
  'retirement'?: (_tollgate_policy_v1_Retirement | null);
  /**
   * absent: the key uses no response cache
   */
  'responseCache'?: (_tollgate_policy_v1_ResponseCache | null);
  /**
   * of the operation passthrough, which has no candidates to try
   */
  'passthrough'?: (_tollgate_policy_v1_PassthroughTarget | null);
  /**
   * absent: the request takes part in no experiment
   */
  'experiment'?: (_tollgate_policy_v1_ExperimentArm | null);
  /**
   * absent: the request is not to be sent to a second model
   */
  'shadow'?: (_tollgate_policy_v1_Shadow | null);
  /**
   * absent: neither request nor answer is kept
   */
  'keptBodies'?: (_tollgate_policy_v1_KeptBodies | null);
  /**
   * AuthorizeRequest.added_tokens, if its conversation counts them now; the settle names them again
   */
  'addedTokens'?: (number | string | Long);
}

export interface Allow__Output {
  /**
   * opaque; send it back with extend and settle
   */
  'holdToken': (Buffer);
  'leaseUntilMs': (number);
  'subject': (_tollgate_policy_v1_Subject__Output | null);
  /**
   * in the order to try
   */
  'candidates': (_tollgate_policy_v1_Candidate__Output)[];
  /**
   * every limit that was checked, the tightest first
   */
  'limits': (_tollgate_policy_v1_LimitState__Output)[];
  /**
   * ids of soft limits that this request exceeds
   */
  'softExceeded': (string)[];
  'heldNanoUsd': (string);
  /**
   * max_output_tokens was lowered to what a budget affords
   */
  'clamped': (boolean);
  /**
   * only where a routing policy applies
   */
  'routing': (_tollgate_policy_v1_Routing__Output | null);
  /**
   * the operation is about a response whose usage is not booked yet
   */
  'pending': (_tollgate_policy_v1_PendingResponse__Output | null);
  /**
   * the client may read the provider's own name for the model
   */
  'tellUpstreamModel': (boolean);
  /**
   * length of a lease from its grant; 0: sent by an older policy
   */
  'leaseMs': (number);
  /**
   * Stored tokens that the provider reads again for this request and bills as input, at most; the hold
   * covers them. An answer without reported usage is charged for them.
   */
  'readTokens': (number);
  /**
   * of the operations mcp_call and mcp_request, which have no candidates
   */
  'mcp': (_tollgate_policy_v1_McpTarget__Output | null);
  /**
   * every policy that applies to the request
   */
  'screening': (_tollgate_policy_v1_ScreeningRef__Output)[];
  /**
   * only in a session: the shared part that has the subject; 0: it is here
   */
  'subjectId': (number);
  /**
   * The float that the hold is part of. Only the policy process that decided it knows such a hold: it is extended
   * and settled over the same session while that is open, and adopted over another one when the session ends or
   * `adopt_floats` names the float. Empty: the store has the hold.
   */
  'floatId': (string);
  /**
   * the organisation wants prompts and answers in the spans of traced requests
   */
  'traceContent': (boolean);
  /**
   * absent: nothing was claimed, or an older policy decided
   */
  'attribution': (_tollgate_policy_v1_Attribution__Output | null);
  /**
   * of the name that the request asked for; absent: it has no end
   */
  'retirement': (_tollgate_policy_v1_Retirement__Output | null);
  /**
   * absent: the key uses no response cache
   */
  'responseCache': (_tollgate_policy_v1_ResponseCache__Output | null);
  /**
   * of the operation passthrough, which has no candidates to try
   */
  'passthrough': (_tollgate_policy_v1_PassthroughTarget__Output | null);
  /**
   * absent: the request takes part in no experiment
   */
  'experiment': (_tollgate_policy_v1_ExperimentArm__Output | null);
  /**
   * absent: the request is not to be sent to a second model
   */
  'shadow': (_tollgate_policy_v1_Shadow__Output | null);
  /**
   * absent: neither request nor answer is kept
   */
  'keptBodies': (_tollgate_policy_v1_KeptBodies__Output | null);
  /**
   * AuthorizeRequest.added_tokens, if its conversation counts them now; the settle names them again
   */
  'addedTokens': (number);
}
