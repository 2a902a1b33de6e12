// Original file: protos/tollgate/catalog/v1/directory.proto

import type { ExperimentArmEntry as _tollgate_catalog_v1_ExperimentArmEntry, ExperimentArmEntry__Output as _tollgate_catalog_v1_ExperimentArmEntry__Output } from '../../../tollgate/catalog/v1/ExperimentArmEntry';
import type { ExperimentShadow as _tollgate_catalog_v1_ExperimentShadow, ExperimentShadow__Output as _tollgate_catalog_v1_ExperimentShadow__Output } from '../../../tollgate/catalog/v1/ExperimentShadow';
import type { Long } from '@grpc/proto-loader';

/**
 * Requests for a name are split between models.
 */
export interface ExperimentEntry {
  'experimentId'?: (string);
  'name'?: (string);
  /**
   * the name of a model or an alias; at most one active experiment has it
   */
  'model'?: (string);
  /**
   * 1 to 5; shares add up to 100
   */
  'arms'?: (_tollgate_catalog_v1_ExperimentArmEntry)[];
  /**
   * 0: since it exists
   */
  'startsAtMs'?: (number | string | Long);
  /**
   * 0: never
   */
  'endsAtMs'?: (number | string | Long);
  /**
   * absent: none
   */
  'shadow'?: (_tollgate_catalog_v1_ExperimentShadow | null);
}

/**
 * Requests for a name are split between models.
 */
export interface ExperimentEntry__Output {
  'experimentId': (string);
  'name': (string);
  /**
   * the name of a model or an alias; at most one active experiment has it
   */
  'model': (string);
  /**
   * 1 to 5; shares add up to 100
   */
  'arms': (_tollgate_catalog_v1_ExperimentArmEntry__Output)[];
  /**
   * 0: since it exists
   */
  'startsAtMs': (number);
  /**
   * 0: never
   */
  'endsAtMs': (number);
  /**
   * absent: none
   */
  'shadow': (_tollgate_catalog_v1_ExperimentShadow__Output | null);
}
