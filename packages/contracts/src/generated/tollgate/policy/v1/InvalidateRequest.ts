// Original file: protos/tollgate/policy/v1/policy.proto


export interface InvalidateRequest {
  /**
   * empty: everything
   */
  'organisationId'?: (string);
  /**
   * empty: all keys of the organisation
   */
  'keySha256'?: (Buffer | Uint8Array | string);
}

export interface InvalidateRequest__Output {
  /**
   * empty: everything
   */
  'organisationId': (string);
  /**
   * empty: all keys of the organisation
   */
  'keySha256': (Buffer);
}
