// Original file: protos/tollgate/catalog/v1/directory.proto

import type { Long } from '@grpc/proto-loader';

export interface AliasTarget {
  'modelId'?: (string);
  'effectiveFromMs'?: (number | string | Long);
}

export interface AliasTarget__Output {
  'modelId': (string);
  'effectiveFromMs': (number);
}
