// Original file: protos/tollgate/catalog/v1/ledger.proto

import type { Long } from '@grpc/proto-loader';

export interface AdvanceEpochRequest {
  'shard'?: (number);
  /**
   * refused softly: the answer holds the present state
   */
  'fromEpoch'?: (number | string | Long);
  /**
   * for the audit trail
   */
  'reason'?: (string);
}

export interface AdvanceEpochRequest__Output {
  'shard': (number);
  /**
   * refused softly: the answer holds the present state
   */
  'fromEpoch': (number);
  /**
   * for the audit trail
   */
  'reason': (string);
}
