// Original file: protos/tollgate/policy/v1/policy.proto


export interface Subject {
  'organisationId'?: (string);
  /**
   * empty: none
   */
  'teamId'?: (string);
  /**
   * empty: none
   */
  'userId'?: (string);
  'apiKeyId'?: (string);
  'apiKeyName'?: (string);
  /**
   * ORGANISATION, TEAM, USER
   */
  'apiKeyType'?: (string);
  'organisationSlug'?: (string);
}

export interface Subject__Output {
  'organisationId': (string);
  /**
   * empty: none
   */
  'teamId': (string);
  /**
   * empty: none
   */
  'userId': (string);
  'apiKeyId': (string);
  'apiKeyName': (string);
  /**
   * ORGANISATION, TEAM, USER
   */
  'apiKeyType': (string);
  'organisationSlug': (string);
}
