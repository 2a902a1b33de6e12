// Original file: protos/tollgate/policy/v1/policy.proto


/**
 * The arm of an experiment that a request is assigned to.
 */
export interface ExperimentArm {
  'experimentId'?: (string);
  /**
   * the experiment's name
   */
  'experiment'?: (string);
  /**
   * the arm's name
   */
  'arm'?: (string);
}

/**
 * The arm of an experiment that a request is assigned to.
 */
export interface ExperimentArm__Output {
  'experimentId': (string);
  /**
   * the experiment's name
   */
  'experiment': (string);
  /**
   * the arm's name
   */
  'arm': (string);
}
