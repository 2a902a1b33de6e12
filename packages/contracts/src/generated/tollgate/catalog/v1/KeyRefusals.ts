// Original file: protos/tollgate/catalog/v1/ledger.proto

import type { LimitState as _tollgate_policy_v1_LimitState, LimitState__Output as _tollgate_policy_v1_LimitState__Output } from '../../../tollgate/policy/v1/LimitState';
import type { Long } from '@grpc/proto-loader';

/**
 * Refusals of one key that came to the same: the same code, and the same limit or model.
 */
export interface KeyRefusals {
  'organisationId'?: (string);
  'apiKeyId'?: (string);
  /**
   * from the contracts' error table
   */
  'code'?: (string);
  /**
   * the id of the limit that refused, or the model as it was asked for, or empty
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
   * The rest is of the newest of them.
   */
  'requestId'?: (string);
  /**
   * as the client named it; empty: not known
   */
  'model'?: (string);
  /**
   * what the client was told
   */
  'message'?: (string);
  /**
   * the limit that refused, as it stood
   */
  'limit'?: (_tollgate_policy_v1_LimitState | null);
}

/**
 * Refusals of one key that came to the same: the same code, and the same limit or model.
 */
export interface KeyRefusals__Output {
  'organisationId': (string);
  'apiKeyId': (string);
  /**
   * from the contracts' error table
   */
  'code': (string);
  /**
   * the id of the limit that refused, or the model as it was asked for, or empty
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
   * The rest is of the newest of them.
   */
  'requestId': (string);
  /**
   * as the client named it; empty: not known
   */
  'model': (string);
  /**
   * what the client was told
   */
  'message': (string);
  /**
   * the limit that refused, as it stood
   */
  'limit': (_tollgate_policy_v1_LimitState__Output | null);
}
