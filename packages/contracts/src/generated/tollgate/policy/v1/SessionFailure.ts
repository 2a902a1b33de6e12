// Original file: protos/tollgate/policy/v1/policy.proto


/**
 * A failure of the service itself for one item: answered to the client as 503.
 */
export interface SessionFailure {
  /**
   * UNAVAILABLE, DEADLINE_EXCEEDED, INVALID_ARGUMENT, RESOURCE_EXHAUSTED
   */
  'code'?: (string);
  'message'?: (string);
  'dependency'?: (string);
}

/**
 * A failure of the service itself for one item: answered to the client as 503.
 */
export interface SessionFailure__Output {
  /**
   * UNAVAILABLE, DEADLINE_EXCEEDED, INVALID_ARGUMENT, RESOURCE_EXHAUSTED
   */
  'code': (string);
  'message': (string);
  'dependency': (string);
}
