// Original file: protos/tollgate/policy/v1/policy.proto

import type { Retirement as _tollgate_policy_v1_Retirement, Retirement__Output as _tollgate_policy_v1_Retirement__Output } from '../../../tollgate/policy/v1/Retirement';
import type { Long } from '@grpc/proto-loader';

export interface GrantedModel {
  'id'?: (string);
  'name'?: (string);
  'type'?: (string);
  /**
   * wire label
   */
  'provider'?: (string);
  'contextTokens'?: (number | string | Long);
  'createdAtMs'?: (number | string | Long);
  'defaultMaxOutputTokens'?: (number | string | Long);
  /**
   * for people; defaults to the name
   */
  'displayName'?: (string);
  /**
   * 0: unknown
   */
  'inputTokenLimit'?: (number | string | Long);
  /**
   * 0: unknown
   */
  'outputTokenLimit'?: (number | string | Long);
  /**
   * The families of routes that can use it (unified, openai, ...), comma-separated; "none"; empty: unknown.
   */
  'families'?: (string);
  /**
   * absent: it has no end
   */
  'retirement'?: (_tollgate_policy_v1_Retirement | null);
}

export interface GrantedModel__Output {
  'id': (string);
  'name': (string);
  'type': (string);
  /**
   * wire label
   */
  'provider': (string);
  'contextTokens': (number);
  'createdAtMs': (number);
  'defaultMaxOutputTokens': (number);
  /**
   * for people; defaults to the name
   */
  'displayName': (string);
  /**
   * 0: unknown
   */
  'inputTokenLimit': (number);
  /**
   * 0: unknown
   */
  'outputTokenLimit': (number);
  /**
   * The families of routes that can use it (unified, openai, ...), comma-separated; "none"; empty: unknown.
   */
  'families': (string);
  /**
   * absent: it has no end
   */
  'retirement': (_tollgate_policy_v1_Retirement__Output | null);
}
