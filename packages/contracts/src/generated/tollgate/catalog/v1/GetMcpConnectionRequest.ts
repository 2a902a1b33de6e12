// Original file: protos/tollgate/catalog/v1/directory.proto

import type { Long } from '@grpc/proto-loader';

export interface GetMcpConnectionRequest {
  'serverId'?: (string);
  'version'?: (number | string | Long);
}

export interface GetMcpConnectionRequest__Output {
  'serverId': (string);
  'version': (number);
}
