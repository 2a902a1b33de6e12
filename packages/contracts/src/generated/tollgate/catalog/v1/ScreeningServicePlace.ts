// Original file: protos/tollgate/catalog/v1/directory.proto


export interface ScreeningServicePlace {
  'identifier'?: (string);
  /**
   * empty: unknown
   */
  'region'?: (string);
}

export interface ScreeningServicePlace__Output {
  'identifier': (string);
  /**
   * empty: unknown
   */
  'region': (string);
}
