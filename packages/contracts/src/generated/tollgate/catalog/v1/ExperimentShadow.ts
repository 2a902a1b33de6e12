// Original file: protos/tollgate/catalog/v1/directory.proto

import type { Limit as _tollgate_catalog_v1_Limit, Limit__Output as _tollgate_catalog_v1_Limit__Output } from '../../../tollgate/catalog/v1/Limit';

/**
 * A model that gets a part of the experiment's requests a second time.
 */
export interface ExperimentShadow {
  'modelId'?: (string);
  /**
   * 1 to 100
   */
  'samplePercent'?: (number);
  /**
   * counts the shadow's requests; its scope id is the experiment's
   */
  'budget'?: (_tollgate_catalog_v1_Limit | null);
}

/**
 * A model that gets a part of the experiment's requests a second time.
 */
export interface ExperimentShadow__Output {
  'modelId': (string);
  /**
   * 1 to 100
   */
  'samplePercent': (number);
  /**
   * counts the shadow's requests; its scope id is the experiment's
   */
  'budget': (_tollgate_catalog_v1_Limit__Output | null);
}
