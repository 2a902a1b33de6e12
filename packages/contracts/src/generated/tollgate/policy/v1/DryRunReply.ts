// Original file: protos/tollgate/policy/v1/policy.proto

import type { Allow as _tollgate_policy_v1_Allow, Allow__Output as _tollgate_policy_v1_Allow__Output } from '../../../tollgate/policy/v1/Allow';
import type { Denial as _tollgate_policy_v1_Denial, Denial__Output as _tollgate_policy_v1_Denial__Output } from '../../../tollgate/policy/v1/Denial';
import type { DryRunCheck as _tollgate_policy_v1_DryRunCheck, DryRunCheck__Output as _tollgate_policy_v1_DryRunCheck__Output } from '../../../tollgate/policy/v1/DryRunCheck';
import type { DryRunHold as _tollgate_policy_v1_DryRunHold, DryRunHold__Output as _tollgate_policy_v1_DryRunHold__Output } from '../../../tollgate/policy/v1/DryRunHold';
import type { DryRunLimit as _tollgate_policy_v1_DryRunLimit, DryRunLimit__Output as _tollgate_policy_v1_DryRunLimit__Output } from '../../../tollgate/policy/v1/DryRunLimit';
import type { Candidate as _tollgate_policy_v1_Candidate, Candidate__Output as _tollgate_policy_v1_Candidate__Output } from '../../../tollgate/policy/v1/Candidate';
import type { Routing as _tollgate_policy_v1_Routing, Routing__Output as _tollgate_policy_v1_Routing__Output } from '../../../tollgate/policy/v1/Routing';

export interface DryRunReply {
  /**
   * without hold token, lease, float and pending; `limits` are those before the request
   */
  'allow'?: (_tollgate_policy_v1_Allow | null);
  'denial'?: (_tollgate_policy_v1_Denial | null);
  /**
   * In the order in which they are made. The first one that refuses is the last one.
   */
  'checks'?: (_tollgate_policy_v1_DryRunCheck)[];
  /**
   * absent: a check refused before it was known
   */
  'hold'?: (_tollgate_policy_v1_DryRunHold | null);
  /**
   * Every limit that counts the request, the tightest first.
   */
  'limits'?: (_tollgate_policy_v1_DryRunLimit)[];
  /**
   * Those that limits were asked about, in the order to try; of an allow, allow.candidates.
   */
  'candidates'?: (_tollgate_policy_v1_Candidate)[];
  /**
   * only where a routing policy decides; names the candidates that are left out
   */
  'routing'?: (_tollgate_policy_v1_Routing | null);
  'decision'?: "allow"|"denial";
}

export interface DryRunReply__Output {
  /**
   * without hold token, lease, float and pending; `limits` are those before the request
   */
  'allow'?: (_tollgate_policy_v1_Allow__Output | null);
  'denial'?: (_tollgate_policy_v1_Denial__Output | null);
  /**
   * In the order in which they are made. The first one that refuses is the last one.
   */
  'checks': (_tollgate_policy_v1_DryRunCheck__Output)[];
  /**
   * absent: a check refused before it was known
   */
  'hold': (_tollgate_policy_v1_DryRunHold__Output | null);
  /**
   * Every limit that counts the request, the tightest first.
   */
  'limits': (_tollgate_policy_v1_DryRunLimit__Output)[];
  /**
   * Those that limits were asked about, in the order to try; of an allow, allow.candidates.
   */
  'candidates': (_tollgate_policy_v1_Candidate__Output)[];
  /**
   * only where a routing policy decides; names the candidates that are left out
   */
  'routing': (_tollgate_policy_v1_Routing__Output | null);
  'decision'?: "allow"|"denial";
}
