// Original file: protos/tollgate/policy/v1/policy.proto

import type { Long } from '@grpc/proto-loader';

/**
 * How far a shard's ledger is committed. A settle with a number up to `booked` need not be kept.
 */
export interface BookedMark {
  'shard'?: (number);
  'epoch'?: (number | string | Long);
  'booked'?: (number | string | Long);
}

/**
 * How far a shard's ledger is committed. A settle with a number up to `booked` need not be kept.
 */
export interface BookedMark__Output {
  'shard': (number);
  'epoch': (number);
  'booked': (number);
}
