// Original file: protos/tollgate/policy/v1/policy.proto

import type { Long } from '@grpc/proto-loader';

/**
 * The announced end of a model or of an alias. Its instants are 0 where none is given.
 */
export interface Retirement {
  /**
   * of the model or the alias
   */
  'name'?: (string);
  /**
   * may be in the future
   */
  'deprecatedAtMs'?: (number | string | Long);
  /**
   * from then on requests are refused, or answered by the replacement
   */
  'sunsetAtMs'?: (number | string | Long);
  /**
   * name of the model to use instead; empty: none
   */
  'replacement'?: (string);
  /**
   * where people read about it; empty: none
   */
  'url'?: (string);
}

/**
 * The announced end of a model or of an alias. Its instants are 0 where none is given.
 */
export interface Retirement__Output {
  /**
   * of the model or the alias
   */
  'name': (string);
  /**
   * may be in the future
   */
  'deprecatedAtMs': (number);
  /**
   * from then on requests are refused, or answered by the replacement
   */
  'sunsetAtMs': (number);
  /**
   * name of the model to use instead; empty: none
   */
  'replacement': (string);
  /**
   * where people read about it; empty: none
   */
  'url': (string);
}
