// Original file: protos/tollgate/catalog/v1/directory.proto


/**
 * Where requests of a scope may be processed.
 */
export interface AllowedRegions {
  /**
   * ORGANISATION, TEAM, API_KEY
   */
  'scopeType'?: (string);
  /**
   * 1 to 16
   */
  'regions'?: (string)[];
}

/**
 * Where requests of a scope may be processed.
 */
export interface AllowedRegions__Output {
  /**
   * ORGANISATION, TEAM, API_KEY
   */
  'scopeType': (string);
  /**
   * 1 to 16
   */
  'regions': (string)[];
}
