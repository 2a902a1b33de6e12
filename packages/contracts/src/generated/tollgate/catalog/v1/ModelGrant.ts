// Original file: protos/tollgate/catalog/v1/directory.proto


/**
 * A standing grant: it gives whatever models of the key's organisation fit when a request is decided.
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
   * of PATTERN: * is any characters or none
   */
  'pattern'?: (string);
}

/**
 * A standing grant: it gives whatever models of the key's organisation fit when a request is decided.
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
   * of PATTERN: * is any characters or none
   */
  'pattern': (string);
}
