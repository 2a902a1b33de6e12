// Original file: protos/tollgate/catalog/v1/directory.proto


/**
 * A standing grant: a rule that is applied to the organisation's models when a request is decided.
 */
export interface ModelGrant {
  /**
   * ALL, PROVIDER, PATTERN
   */
  'kind'?: (string);
  /**
   * of PROVIDER
   */
  'providerId'?: (string);
  /**
   * of PATTERN: * matches any characters or none
   */
  'pattern'?: (string);
}

/**
 * A standing grant: a rule that is applied to the organisation's models when a request is decided.
 */
export interface ModelGrant__Output {
  /**
   * ALL, PROVIDER, PATTERN
   */
  'kind': (string);
  /**
   * of PROVIDER
   */
  'providerId': (string);
  /**
   * of PATTERN: * matches any characters or none
   */
  'pattern': (string);
}
