// Original file: protos/tollgate/policy/v1/policy.proto

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
}
