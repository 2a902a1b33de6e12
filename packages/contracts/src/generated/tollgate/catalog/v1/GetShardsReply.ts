// Original file: protos/tollgate/catalog/v1/ledger.proto

import type { ShardState as _tollgate_catalog_v1_ShardState, ShardState__Output as _tollgate_catalog_v1_ShardState__Output } from '../../../tollgate/catalog/v1/ShardState';

export interface GetShardsReply {
  'shards'?: (_tollgate_catalog_v1_ShardState)[];
}

export interface GetShardsReply__Output {
  'shards': (_tollgate_catalog_v1_ShardState__Output)[];
}
