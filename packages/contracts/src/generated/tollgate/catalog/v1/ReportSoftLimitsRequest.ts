// Original file: protos/tollgate/catalog/v1/ledger.proto

import type { SoftLimitPassed as _tollgate_catalog_v1_SoftLimitPassed, SoftLimitPassed__Output as _tollgate_catalog_v1_SoftLimitPassed__Output } from '../../../tollgate/catalog/v1/SoftLimitPassed';

export interface ReportSoftLimitsRequest {
  'passed'?: (_tollgate_catalog_v1_SoftLimitPassed)[];
}

export interface ReportSoftLimitsRequest__Output {
  'passed': (_tollgate_catalog_v1_SoftLimitPassed__Output)[];
}
