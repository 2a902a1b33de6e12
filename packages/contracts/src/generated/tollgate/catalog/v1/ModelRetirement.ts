// Original file: protos/tollgate/catalog/v1/directory.proto

import type { Long } from '@grpc/proto-loader';

/**
 * The announced end of a model or of an alias. Its instants are 0 where none is given.
 */
export interface ModelRetirement {
  'deprecatedAtMs'?: (number | string | Long);
  'sunsetAtMs'?: (number | string | Long);
  /**
   * empty: none
   */
  'replacementModelId'?: (string);
  /**
   * REFUSE, REPLACE
   */
  'onSunset'?: (string);
  /**
   * where people read about it; empty: none
   */
  'url'?: (string);
}

/**
 * The announced end of a model or of an alias. Its instants are 0 where none is given.
 */
export interface ModelRetirement__Output {
  'deprecatedAtMs': (number);
  'sunsetAtMs': (number);
  /**
   * empty: none
   */
  'replacementModelId': (string);
  /**
   * REFUSE, REPLACE
   */
  'onSunset': (string);
  /**
   * where people read about it; empty: none
   */
  'url': (string);
}
