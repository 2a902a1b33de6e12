// Original file: protos/tollgate/policy/v1/policy.proto

import type { Long } from '@grpc/proto-loader';

/**
 * How long one attempt may take, in milliseconds; 0: as its connection says. A shorter time of the
 * connection's own stays.
 */
export interface AttemptTimeouts {
  /**
   * the whole attempt
   */
  'attemptMs'?: (number | string | Long);
  'connectMs'?: (number | string | Long);
  /**
   * until the first byte of a body that is of use
   */
  'firstTokenMs'?: (number | string | Long);
  /**
   * between two pieces of a stream
   */
  'idleMs'?: (number | string | Long);
}

/**
 * How long one attempt may take, in milliseconds; 0: as its connection says. A shorter time of the
 * connection's own stays.
 */
export interface AttemptTimeouts__Output {
  /**
   * the whole attempt
   */
  'attemptMs': (number);
  'connectMs': (number);
  /**
   * until the first byte of a body that is of use
   */
  'firstTokenMs': (number);
  /**
   * between two pieces of a stream
   */
  'idleMs': (number);
}
