// Original file: protos/tollgate/catalog/v1/ledger.proto

import type { KeptDecision as _tollgate_catalog_v1_KeptDecision, KeptDecision__Output as _tollgate_catalog_v1_KeptDecision__Output } from '../../../tollgate/catalog/v1/KeptDecision';

export interface ReportDecisionsRequest {
  /**
   * at most 100
   */
  'decisions'?: (_tollgate_catalog_v1_KeptDecision)[];
}

export interface ReportDecisionsRequest__Output {
  /**
   * at most 100
   */
  'decisions': (_tollgate_catalog_v1_KeptDecision__Output)[];
}
