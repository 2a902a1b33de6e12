// Original file: protos/tollgate/catalog/v1/ledger.proto

import type { Long } from '@grpc/proto-loader';

export interface AdvanceEpochRequest {
  'shard'?: (number);
  /**
   * another epoch: nothing changes and the reply has the current state
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
   * another epoch: nothing changes and the reply has the current state
   */
  'fromEpoch': (number);
  /**
   * for the audit trail
   */
  'reason': (string);
}
