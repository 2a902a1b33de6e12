// Original file: protos/tollgate/policy/v1/policy.proto


/**
 * Which bodies of a key's requests the edge keeps, masked, for the organisation's administrators.
 */
export interface KeptBodies {
  'request'?: (boolean);
  'answer'?: (boolean);
  /**
   * of the requests, 1 to 100
   */
  'percent'?: (number);
  /**
   * of these, only those that fail
   */
  'onlyFailed'?: (boolean);
}

/**
 * Which bodies of a key's requests the edge keeps, masked, for the organisation's administrators.
 */
export interface KeptBodies__Output {
  'request': (boolean);
  'answer': (boolean);
  /**
   * of the requests, 1 to 100
   */
  'percent': (number);
  /**
   * of these, only those that fail
   */
  'onlyFailed': (boolean);
}
