// Original file: protos/tollgate/policy/v1/policy.proto


/**
 * The second model that a request is sent to after its own has answered, on the budget of the experiment.
 */
export interface Shadow {
  'experimentId'?: (string);
  'modelId'?: (string);
  /**
   * Why the model cannot answer the request, as in LeftOut.reason; empty: send it.
   */
  'leftOut'?: (string);
  /**
   * the error code for it, which is reported as a skipped shadow; empty: send it
   */
  'leftOutCode'?: (string);
}

/**
 * The second model that a request is sent to after its own has answered, on the budget of the experiment.
 */
export interface Shadow__Output {
  'experimentId': (string);
  'modelId': (string);
  /**
   * Why the model cannot answer the request, as in LeftOut.reason; empty: send it.
   */
  'leftOut': (string);
  /**
   * the error code for it, which is reported as a skipped shadow; empty: send it
   */
  'leftOutCode': (string);
}
