// Original file: protos/tollgate/catalog/v1/ledger.proto

import type { Long } from '@grpc/proto-loader';

export interface ShardState {
  'shard'?: (number);
  'epoch'?: (number | string | Long);
  'lastSeq'?: (number | string | Long);
  'rev'?: (number | string | Long);
}

export interface ShardState__Output {
  'shard': (number);
  'epoch': (number);
  'lastSeq': (number);
  'rev': (number);
}
