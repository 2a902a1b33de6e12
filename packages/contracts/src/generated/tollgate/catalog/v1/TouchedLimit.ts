// Original file: protos/tollgate/catalog/v1/ledger.proto

import type { Long } from '@grpc/proto-loader';

/**
 * The limits whose counters a close changed, and the amounts that it added.
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
 * The limits whose counters a close changed, and the amounts that it added.
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
