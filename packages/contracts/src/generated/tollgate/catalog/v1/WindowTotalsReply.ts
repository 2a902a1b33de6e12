// Original file: protos/tollgate/catalog/v1/ledger.proto

import type { ShardState as _tollgate_catalog_v1_ShardState, ShardState__Output as _tollgate_catalog_v1_ShardState__Output } from '../../../tollgate/catalog/v1/ShardState';
import type { WindowTotal as _tollgate_catalog_v1_WindowTotal, WindowTotal__Output as _tollgate_catalog_v1_WindowTotal__Output } from '../../../tollgate/catalog/v1/WindowTotal';

export interface WindowTotalsReply {
  /**
   * read in the same transaction as the totals
   */
  'state'?: (_tollgate_catalog_v1_ShardState | null);
  'totals'?: (_tollgate_catalog_v1_WindowTotal)[];
}

export interface WindowTotalsReply__Output {
  /**
   * read in the same transaction as the totals
   */
  'state': (_tollgate_catalog_v1_ShardState__Output | null);
  'totals': (_tollgate_catalog_v1_WindowTotal__Output)[];
}
