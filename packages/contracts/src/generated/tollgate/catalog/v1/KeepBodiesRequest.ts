// Original file: protos/tollgate/catalog/v1/ledger.proto

import type { RequestBodies as _tollgate_catalog_v1_RequestBodies, RequestBodies__Output as _tollgate_catalog_v1_RequestBodies__Output } from '../../../tollgate/catalog/v1/RequestBodies';

export interface KeepBodiesRequest {
  /**
   * at most 200
   */
  'bodies'?: (_tollgate_catalog_v1_RequestBodies)[];
}

export interface KeepBodiesRequest__Output {
  /**
   * at most 200
   */
  'bodies': (_tollgate_catalog_v1_RequestBodies__Output)[];
}
