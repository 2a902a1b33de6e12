// Original file: protos/tollgate/policy/v1/policy.proto

import type { Long } from '@grpc/proto-loader';

export interface ExtendRequest {
  'requestId'?: (string);
  'holdToken'?: (Buffer | Uint8Array | string);
  /**
   * the candidate that is being streamed
   */
  'modelId'?: (string);
  /**
   * 0: only the lease moves
   */
  'addOutputTokens'?: (number | string | Long);
  /**
   * after data loss: take the whole hold again
   */
  'adopt'?: (boolean);
}

export interface ExtendRequest__Output {
  'requestId': (string);
  'holdToken': (Buffer);
  /**
   * the candidate that is being streamed
   */
  'modelId': (string);
  /**
   * 0: only the lease moves
   */
  'addOutputTokens': (number);
  /**
   * after data loss: take the whole hold again
   */
  'adopt': (boolean);
}
