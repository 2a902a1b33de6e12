// Original file: protos/tollgate/catalog/v1/directory.proto


export interface ScreeningAttachment {
  /**
   * ORGANISATION, TEAM, API_KEY, MODEL
   */
  'scopeType'?: (string);
  'scopeId'?: (string);
}

export interface ScreeningAttachment__Output {
  /**
   * ORGANISATION, TEAM, API_KEY, MODEL
   */
  'scopeType': (string);
  'scopeId': (string);
}
