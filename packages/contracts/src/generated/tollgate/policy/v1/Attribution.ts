// Original file: protos/tollgate/policy/v1/policy.proto


/**
 * What of the claimed attribution counts, and is recorded.
 */
export interface Attribution {
  /**
   * A name that is believed only within its API key ends in `@key:` and the key's id.
   */
  'endUser'?: (string);
  'session'?: (string);
  /**
   * as SettleRequest.tags
   */
  'tags'?: (string);
  /**
   * keys of x-tollgate-tags that are not recorded
   */
  'ignoredTags'?: (string)[];
}

/**
 * What of the claimed attribution counts, and is recorded.
 */
export interface Attribution__Output {
  /**
   * A name that is believed only within its API key ends in `@key:` and the key's id.
   */
  'endUser': (string);
  'session': (string);
  /**
   * as SettleRequest.tags
   */
  'tags': (string);
  /**
   * keys of x-tollgate-tags that are not recorded
   */
  'ignoredTags': (string)[];
}
