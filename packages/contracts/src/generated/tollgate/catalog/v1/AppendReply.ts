// Original file: protos/tollgate/catalog/v1/ledger.proto

import type { ShardState as _tollgate_catalog_v1_ShardState, ShardState__Output as _tollgate_catalog_v1_ShardState__Output } from '../../../tollgate/catalog/v1/ShardState';

export interface AppendReply {
  'committed'?: (boolean);
  'state'?: (_tollgate_catalog_v1_ShardState | null);
  /**
   * counters to forget, so that the next use seeds them
   */
  'forgetLimitIds'?: (string)[];
}

export interface AppendReply__Output {
  'committed': (boolean);
  'state': (_tollgate_catalog_v1_ShardState__Output | null);
  /**
   * counters to forget, so that the next use seeds them
   */
  'forgetLimitIds': (string)[];
}
