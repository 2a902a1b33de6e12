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
  /**
   * The caller applies allowed regions. A caller that does not gets keys with allowed regions without
   * grants and no models with allowed regions, so that it refuses their requests.
   */
  'knowsRegions'?: (boolean);
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
  /**
   * The caller applies allowed regions. A caller that does not gets keys with allowed regions without
   * grants and no models with allowed regions, so that it refuses their requests.
   */
  'knowsRegions': (boolean);
}
