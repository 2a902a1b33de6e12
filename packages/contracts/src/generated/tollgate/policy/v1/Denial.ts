// Original file: protos/tollgate/policy/v1/policy.proto

import type { Subject as _tollgate_policy_v1_Subject, Subject__Output as _tollgate_policy_v1_Subject__Output } from '../../../tollgate/policy/v1/Subject';
import type { LimitState as _tollgate_policy_v1_LimitState, LimitState__Output as _tollgate_policy_v1_LimitState__Output } from '../../../tollgate/policy/v1/LimitState';
import type { Retirement as _tollgate_policy_v1_Retirement, Retirement__Output as _tollgate_policy_v1_Retirement__Output } from '../../../tollgate/policy/v1/Retirement';
import type { Long } from '@grpc/proto-loader';

export interface Denial {
  /**
   * from the contracts' error table
   */
  'code'?: (string);
  'message'?: (string);
  /**
   * object for error.details; names the tightest limit
   */
  'detailsJson'?: (string);
  /**
   * 0: waiting does not help, or unknown
   */
  'retryAfterMs'?: (number | string | Long);
  /**
   * when the key was known
   */
  'subject'?: (_tollgate_policy_v1_Subject | null);
  'limits'?: (_tollgate_policy_v1_LimitState)[];
  /**
   * the entry of `limits` that refused; empty: none
   */
  'limitId'?: (string);
  /**
   * of invalid_api_key: the cause, for operators only
   */
  'reason'?: (string);
  /**
   * of the name that the request asked for, past its sunset
   */
  'retirement'?: (_tollgate_policy_v1_Retirement | null);
}

export interface Denial__Output {
  /**
   * from the contracts' error table
   */
  'code': (string);
  'message': (string);
  /**
   * object for error.details; names the tightest limit
   */
  'detailsJson': (string);
  /**
   * 0: waiting does not help, or unknown
   */
  'retryAfterMs': (number);
  /**
   * when the key was known
   */
  'subject': (_tollgate_policy_v1_Subject__Output | null);
  'limits': (_tollgate_policy_v1_LimitState__Output)[];
  /**
   * the entry of `limits` that refused; empty: none
   */
  'limitId': (string);
  /**
   * of invalid_api_key: the cause, for operators only
   */
  'reason': (string);
  /**
   * of the name that the request asked for, past its sunset
   */
  'retirement': (_tollgate_policy_v1_Retirement__Output | null);
}
