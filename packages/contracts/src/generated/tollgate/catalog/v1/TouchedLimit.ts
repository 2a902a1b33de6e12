// Original file: protos/tollgate/catalog/v1/ledger.proto

import type { Long } from '@grpc/proto-loader';

/**
 * The limits that a close touched in the counters, and what it added there.
 */
export interface TouchedLimit {
  'limitId'?: (string);
  'windowStartMs'?: (number | string | Long);
  'windowEndMs'?: (number | string | Long);
  /**
   * decimal string
   */
  'amount'?: (string);
}

/**
 * The limits that a close touched in the counters, and what it added there.
 */
export interface TouchedLimit__Output {
  'limitId': (string);
  'windowStartMs': (number);
  'windowEndMs': (number);
  /**
   * decimal string
   */
  'amount': (string);
}
