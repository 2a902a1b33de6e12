// Original file: protos/tollgate/catalog/v1/directory.proto


export interface McpSignInRule {
  /**
   * a path, as a.b
   */
  'claim'?: (string);
  /**
   * stands for any
   */
  'value'?: (string);
  /**
   * 32 bytes
   */
  'keySha256'?: (Buffer | Uint8Array | string);
}

export interface McpSignInRule__Output {
  /**
   * a path, as a.b
   */
  'claim': (string);
  /**
   * stands for any
   */
  'value': (string);
  /**
   * 32 bytes
   */
  'keySha256': (Buffer);
}
