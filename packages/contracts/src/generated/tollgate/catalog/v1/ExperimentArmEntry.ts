// Original file: protos/tollgate/catalog/v1/directory.proto


export interface ExperimentArmEntry {
  'name'?: (string);
  'modelId'?: (string);
  /**
   * in per cent; 0: no conversation is assigned to it
   */
  'share'?: (number);
}

export interface ExperimentArmEntry__Output {
  'name': (string);
  'modelId': (string);
  /**
   * in per cent; 0: no conversation is assigned to it
   */
  'share': (number);
}
