// Original file: protos/tollgate/policy/v1/policy.proto


/**
 * A failure of the service for one item: a 503 for the client.
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
 * A failure of the service for one item: a 503 for the client.
 */
export interface SessionFailure__Output {
  /**
   * UNAVAILABLE, DEADLINE_EXCEEDED, INVALID_ARGUMENT, RESOURCE_EXHAUSTED
   */
  'code': (string);
  'message': (string);
  'dependency': (string);
}
