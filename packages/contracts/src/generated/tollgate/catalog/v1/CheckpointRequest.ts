// Original file: protos/tollgate/catalog/v1/ledger.proto

import type { HoldState as _tollgate_catalog_v1_HoldState, HoldState__Output as _tollgate_catalog_v1_HoldState__Output } from '../../../tollgate/catalog/v1/HoldState';

export interface CheckpointRequest {
  'shard'?: (number);
  'holds'?: (_tollgate_catalog_v1_HoldState)[];
}

export interface CheckpointRequest__Output {
  'shard': (number);
  'holds': (_tollgate_catalog_v1_HoldState__Output)[];
}
