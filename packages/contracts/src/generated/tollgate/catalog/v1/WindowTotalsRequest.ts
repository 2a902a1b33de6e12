// Original file: protos/tollgate/catalog/v1/ledger.proto

import type { WindowQuery as _tollgate_catalog_v1_WindowQuery, WindowQuery__Output as _tollgate_catalog_v1_WindowQuery__Output } from '../../../tollgate/catalog/v1/WindowQuery';

export interface WindowTotalsRequest {
  'shard'?: (number);
  'organisationId'?: (string);
  'windows'?: (_tollgate_catalog_v1_WindowQuery)[];
}

export interface WindowTotalsRequest__Output {
  'shard': (number);
  'organisationId': (string);
  'windows': (_tollgate_catalog_v1_WindowQuery__Output)[];
}
