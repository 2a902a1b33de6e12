// Original file: protos/tollgate/policy/v1/policy.proto


/**
 * As the edge read it from headers and body. The organisation's settings decide what of it is believed.
 */
export interface ClaimedAttribution {
  /**
   * at most 256 characters
   */
  'endUser'?: (string);
  /**
   * at most 128 characters
   */
  'session'?: (string);
  /**
   * of x-tollgate-tags, as SettleRequest.tags
   */
  'tags'?: (string);
  /**
   * Entries of the body's metadata, as `tags`. Metadata serves other purposes too: unknown keys are neither refused nor
   * reported.
   */
  'metadata'?: (string);
}

/**
 * As the edge read it from headers and body. The organisation's settings decide what of it is believed.
 */
export interface ClaimedAttribution__Output {
  /**
   * at most 256 characters
   */
  'endUser': (string);
  /**
   * at most 128 characters
   */
  'session': (string);
  /**
   * of x-tollgate-tags, as SettleRequest.tags
   */
  'tags': (string);
  /**
   * Entries of the body's metadata, as `tags`. Metadata serves other purposes too: unknown keys are neither refused nor
   * reported.
   */
  'metadata': (string);
}
