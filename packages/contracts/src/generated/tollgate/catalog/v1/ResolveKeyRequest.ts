// Original file: protos/tollgate/catalog/v1/directory.proto


export interface ResolveKeyRequest {
  /**
   * 32 bytes
   */
  'keySha256'?: (Buffer | Uint8Array | string);
}

export interface ResolveKeyRequest__Output {
  /**
   * 32 bytes
   */
  'keySha256': (Buffer);
}
