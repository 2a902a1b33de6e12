// Original file: protos/tollgate/catalog/v1/directory.proto

import type { Long } from '@grpc/proto-loader';

export interface WatchInvalidationsRequest {
  /**
   * exclusive; 0: from now on
   */
  'fromSeq'?: (number | string | Long);
}

export interface WatchInvalidationsRequest__Output {
  /**
   * exclusive; 0: from now on
   */
  'fromSeq': (number);
}
