// Original file: protos/tollgate/catalog/v1/ledger.proto

import type { LimitState as _tollgate_policy_v1_LimitState, LimitState__Output as _tollgate_policy_v1_LimitState__Output } from '../../../tollgate/policy/v1/LimitState';
import type { Long } from '@grpc/proto-loader';

/**
 * Refusals of one key with the same code and the same limit or model, summed up.
 */
export interface KeyRefusals {
  'organisationId'?: (string);
  'apiKeyId'?: (string);
  /**
   * from the contracts' error table
   */
  'code'?: (string);
  /**
   * id of the limit that refused, or the requested model, or empty
   */
  'about'?: (string);
  /**
   * why a key is not valid, for operators; else empty
   */
  'reason'?: (string);
  /**
   * since the last report
   */
  'count'?: (number | string | Long);
  'firstAtMs'?: (number | string | Long);
  'lastAtMs'?: (number | string | Long);
  /**
   * The fields below are those of the newest refusal.
   */
  'requestId'?: (string);
  /**
   * as the client named it; empty: unknown
   */
  'model'?: (string);
  /**
   * the client's error message
   */
  'message'?: (string);
  /**
   * the limit that refused, with its amounts
   */
  'limit'?: (_tollgate_policy_v1_LimitState | null);
  /**
   * the details that the client was told; empty: none
   */
  'detailsJson'?: (string);
}

/**
 * Refusals of one key with the same code and the same limit or model, summed up.
 */
export interface KeyRefusals__Output {
  'organisationId': (string);
  'apiKeyId': (string);
  /**
   * from the contracts' error table
   */
  'code': (string);
  /**
   * id of the limit that refused, or the requested model, or empty
   */
  'about': (string);
  /**
   * why a key is not valid, for operators; else empty
   */
  'reason': (string);
  /**
   * since the last report
   */
  'count': (number);
  'firstAtMs': (number);
  'lastAtMs': (number);
  /**
   * The fields below are those of the newest refusal.
   */
  'requestId': (string);
  /**
   * as the client named it; empty: unknown
   */
  'model': (string);
  /**
   * the client's error message
   */
  'message': (string);
  /**
   * the limit that refused, with its amounts
   */
  'limit': (_tollgate_policy_v1_LimitState__Output | null);
  /**
   * the details that the client was told; empty: none
   */
  'detailsJson': (string);
}
