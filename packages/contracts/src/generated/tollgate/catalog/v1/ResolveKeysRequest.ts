// Original file: protos/tollgate/catalog/v1/directory.proto


export interface ResolveKeysRequest {
  /**
   * 1 to 64, 32 bytes each
   */
  'keySha256'?: (Buffer | Uint8Array | string)[];
  /**
   * of organisations whose shared part the caller has; at most 64
   */
  'knownDigests'?: (Buffer | Uint8Array | string)[];
}

export interface ResolveKeysRequest__Output {
  /**
   * 1 to 64, 32 bytes each
   */
  'keySha256': (Buffer)[];
  /**
   * of organisations whose shared part the caller has; at most 64
   */
  'knownDigests': (Buffer)[];
}
