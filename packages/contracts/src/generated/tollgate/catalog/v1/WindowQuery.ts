// Original file: protos/tollgate/catalog/v1/ledger.proto

import type { Long } from '@grpc/proto-loader';

export interface WindowQuery {
  'limitId'?: (string);
  'windowStartMs'?: (number | string | Long);
  'windowEndMs'?: (number | string | Long);
}

export interface WindowQuery__Output {
  'limitId': (string);
  'windowStartMs': (number);
  'windowEndMs': (number);
}
