// Original file: protos/tollgate/catalog/v1/ledger.proto

import type { Long } from '@grpc/proto-loader';

/**
 * Requests that an edge has refused or failed with the same cause since its last report.
 */
export interface RefusedSum {
  /**
   * from the contracts' error table
   */
  'code'?: (string);
  /**
   * 32 bytes; empty: no key was sent, or `other`
   */
  'keySha256'?: (Buffer | Uint8Array | string);
  /**
   * as the organisation names it; empty: unknown
   */
  'model'?: (string);
  /**
   * the provider that was called last; empty: none
   */
  'providerId'?: (string);
  /**
   * the limit that refused; empty: none
   */
  'limitId'?: (string);
  'count'?: (number | string | Long);
  'firstAtMs'?: (number | string | Long);
  'lastAtMs'?: (number | string | Long);
  /**
   * of the newest
   */
  'requestId'?: (string);
  /**
   * the details that the client of the newest was told; empty: none
   */
  'detailsJson'?: (string);
  /**
   * of several causes, which the edge did not tell apart
   */
  'other'?: (boolean);
}

/**
 * Requests that an edge has refused or failed with the same cause since its last report.
 */
export interface RefusedSum__Output {
  /**
   * from the contracts' error table
   */
  'code': (string);
  /**
   * 32 bytes; empty: no key was sent, or `other`
   */
  'keySha256': (Buffer);
  /**
   * as the organisation names it; empty: unknown
   */
  'model': (string);
  /**
   * the provider that was called last; empty: none
   */
  'providerId': (string);
  /**
   * the limit that refused; empty: none
   */
  'limitId': (string);
  'count': (number);
  'firstAtMs': (number);
  'lastAtMs': (number);
  /**
   * of the newest
   */
  'requestId': (string);
  /**
   * the details that the client of the newest was told; empty: none
   */
  'detailsJson': (string);
  /**
   * of several causes, which the edge did not tell apart
   */
  'other': (boolean);
}
