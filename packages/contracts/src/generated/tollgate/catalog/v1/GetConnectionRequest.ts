// Original file: protos/tollgate/catalog/v1/directory.proto

import type { Long } from '@grpc/proto-loader';

export interface GetConnectionRequest {
  'providerId'?: (string);
  'version'?: (number | string | Long);
}

export interface GetConnectionRequest__Output {
  'providerId': (string);
  'version': (number);
}
