// Original file: protos/tollgate/catalog/v1/ledger.proto

import type { RefusedSum as _tollgate_catalog_v1_RefusedSum, RefusedSum__Output as _tollgate_catalog_v1_RefusedSum__Output } from '../../../tollgate/catalog/v1/RefusedSum';

export interface ReportRefusedRequest {
  /**
   * at most 500
   */
  'sums'?: (_tollgate_catalog_v1_RefusedSum)[];
}

export interface ReportRefusedRequest__Output {
  /**
   * at most 500
   */
  'sums': (_tollgate_catalog_v1_RefusedSum__Output)[];
}
