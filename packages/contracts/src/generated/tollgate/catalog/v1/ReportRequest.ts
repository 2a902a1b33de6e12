// Original file: protos/tollgate/catalog/v1/ledger.proto

import type { UpstreamChange as _tollgate_catalog_v1_UpstreamChange, UpstreamChange__Output as _tollgate_catalog_v1_UpstreamChange__Output } from '../../../tollgate/catalog/v1/UpstreamChange';
import type { KeyRefusals as _tollgate_catalog_v1_KeyRefusals, KeyRefusals__Output as _tollgate_catalog_v1_KeyRefusals__Output } from '../../../tollgate/catalog/v1/KeyRefusals';

export interface ReportRequest {
  /**
   * at most 500
   */
  'upstreams'?: (_tollgate_catalog_v1_UpstreamChange)[];
  /**
   * at most 500
   */
  'refusals'?: (_tollgate_catalog_v1_KeyRefusals)[];
}

export interface ReportRequest__Output {
  /**
   * at most 500
   */
  'upstreams': (_tollgate_catalog_v1_UpstreamChange__Output)[];
  /**
   * at most 500
   */
  'refusals': (_tollgate_catalog_v1_KeyRefusals__Output)[];
}
