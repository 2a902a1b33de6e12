// Original file: protos/tollgate/catalog/v1/ledger.proto

import type { Long } from '@grpc/proto-loader';

export interface WindowTotal {
  'limitId'?: (string);
  'windowStartMs'?: (number | string | Long);
  /**
   * nano-USD or count
   */
  'settled'?: (string);
  /**
   * false: the limit no longer exists
   */
  'limitFound'?: (boolean);
  'metric'?: (string);
  'scopeType'?: (string);
  'scopeId'?: (string);
}

export interface WindowTotal__Output {
  'limitId': (string);
  'windowStartMs': (number);
  /**
   * nano-USD or count
   */
  'settled': (string);
  /**
   * false: the limit no longer exists
   */
  'limitFound': (boolean);
  'metric': (string);
  'scopeType': (string);
  'scopeId': (string);
}
