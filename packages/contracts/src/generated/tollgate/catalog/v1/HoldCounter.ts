// Original file: protos/tollgate/catalog/v1/ledger.proto

import type { Long } from '@grpc/proto-loader';

export interface HoldCounter {
  'limitId'?: (string);
  'kind'?: (string);
  'windowStartMs'?: (number | string | Long);
  'held'?: (string);
  'spent'?: (string);
}

export interface HoldCounter__Output {
  'limitId': (string);
  'kind': (string);
  'windowStartMs': (number);
  'held': (string);
  'spent': (string);
}
