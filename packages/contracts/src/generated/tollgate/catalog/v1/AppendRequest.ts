// Original file: protos/tollgate/catalog/v1/ledger.proto

import type { Entry as _tollgate_catalog_v1_Entry, Entry__Output as _tollgate_catalog_v1_Entry__Output } from '../../../tollgate/catalog/v1/Entry';
import type { Long } from '@grpc/proto-loader';

export interface AppendRequest {
  'shard'?: (number);
  'epoch'?: (number | string | Long);
  /**
   * position before the first entry
   */
  'prev'?: (number | string | Long);
  /**
   * number of the last entry
   */
  'last'?: (number | string | Long);
  'entries'?: (_tollgate_catalog_v1_Entry)[];
  /**
   * the only entry of this batch cannot be booked: set it aside
   */
  'quarantine'?: (boolean);
  'quarantineReason'?: (string);
  /**
   * with quarantine: entries that could not be decoded
   */
  'raw'?: (Buffer | Uint8Array | string)[];
}

export interface AppendRequest__Output {
  'shard': (number);
  'epoch': (number);
  /**
   * position before the first entry
   */
  'prev': (number);
  /**
   * number of the last entry
   */
  'last': (number);
  'entries': (_tollgate_catalog_v1_Entry__Output)[];
  /**
   * the only entry of this batch cannot be booked: set it aside
   */
  'quarantine': (boolean);
  'quarantineReason': (string);
  /**
   * with quarantine: entries that could not be decoded
   */
  'raw': (Buffer)[];
}
