// Original file: protos/tollgate/policy/v1/policy.proto


/**
 * Whether a key is valid right now, answered from the directory cache where possible. The edge asks
 * before it reads a large body. Nothing is held and nothing is counted; Authorize still decides.
 */
export interface ConfirmKeyRequest {
  /**
   * 32 bytes
   */
  'keySha256'?: (Buffer | Uint8Array | string);
}

/**
 * Whether a key is valid right now, answered from the directory cache where possible. The edge asks
 * before it reads a large body. Nothing is held and nothing is counted; Authorize still decides.
 */
export interface ConfirmKeyRequest__Output {
  /**
   * 32 bytes
   */
  'keySha256': (Buffer);
}
