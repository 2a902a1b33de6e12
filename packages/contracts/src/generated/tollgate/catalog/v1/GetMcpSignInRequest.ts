// Original file: protos/tollgate/catalog/v1/directory.proto


export interface GetMcpSignInRequest {
  /**
   * slug
   */
  'organisation'?: (string);
}

export interface GetMcpSignInRequest__Output {
  /**
   * slug
   */
  'organisation': (string);
}
