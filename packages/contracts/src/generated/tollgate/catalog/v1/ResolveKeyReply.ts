// Original file: protos/tollgate/catalog/v1/directory.proto

import type { KeyContext as _tollgate_catalog_v1_KeyContext, KeyContext__Output as _tollgate_catalog_v1_KeyContext__Output } from '../../../tollgate/catalog/v1/KeyContext';
import type { Long } from '@grpc/proto-loader';

export interface ResolveKeyReply {
  'found'?: (boolean);
  'context'?: (_tollgate_catalog_v1_KeyContext | null);
  /**
   * every change up to here is included
   */
  'outboxSeq'?: (number | string | Long);
}

export interface ResolveKeyReply__Output {
  'found': (boolean);
  'context': (_tollgate_catalog_v1_KeyContext__Output | null);
  /**
   * every change up to here is included
   */
  'outboxSeq': (number);
}
