// Original file: protos/tollgate/policy/v1/policy.proto

import type { Long } from '@grpc/proto-loader';

/**
 * Limits of one attempt in milliseconds; 0: the connection's own. The shorter of the two applies.
 */
export interface AttemptTimeouts {
  /**
   * the whole attempt
   */
  'attemptMs'?: (number | string | Long);
  'connectMs'?: (number | string | Long);
  /**
   * until the first byte of useful body
   */
  'firstTokenMs'?: (number | string | Long);
  /**
   * between two pieces of a stream
   */
  'idleMs'?: (number | string | Long);
}

/**
 * Limits of one attempt in milliseconds; 0: the connection's own. The shorter of the two applies.
 */
export interface AttemptTimeouts__Output {
  /**
   * the whole attempt
   */
  'attemptMs': (number);
  'connectMs': (number);
  /**
   * until the first byte of useful body
   */
  'firstTokenMs': (number);
  /**
   * between two pieces of a stream
   */
  'idleMs': (number);
}
