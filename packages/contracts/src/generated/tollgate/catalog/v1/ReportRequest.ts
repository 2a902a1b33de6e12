// Original file: protos/tollgate/catalog/v1/ledger.proto

import type { UpstreamChange as _tollgate_catalog_v1_UpstreamChange, UpstreamChange__Output as _tollgate_catalog_v1_UpstreamChange__Output } from '../../../tollgate/catalog/v1/UpstreamChange';

export interface ReportRequest {
  'upstreams'?: (_tollgate_catalog_v1_UpstreamChange)[];
}

export interface ReportRequest__Output {
  'upstreams': (_tollgate_catalog_v1_UpstreamChange__Output)[];
}
