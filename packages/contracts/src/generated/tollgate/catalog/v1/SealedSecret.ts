// Original file: protos/tollgate/catalog/v1/directory.proto


export interface SealedSecret {
  'apiKeyId'?: (string);
  /**
   * which key-encryption key
   */
  'keyId'?: (string);
  /**
   * 12 bytes
   */
  'nonce'?: (Buffer | Uint8Array | string);
  'ciphertext'?: (Buffer | Uint8Array | string);
  /**
   * 16 bytes
   */
  'tag'?: (Buffer | Uint8Array | string);
  'weight'?: (number);
}

export interface SealedSecret__Output {
  'apiKeyId': (string);
  /**
   * which key-encryption key
   */
  'keyId': (string);
  /**
   * 12 bytes
   */
  'nonce': (Buffer);
  'ciphertext': (Buffer);
  /**
   * 16 bytes
   */
  'tag': (Buffer);
  'weight': (number);
}
