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
  /**
   * at least 1; relative share of the requests
   */
  'weight'?: (number);
  /**
   * its name for people, logs and metrics; not secret
   */
  'name'?: (string);
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
  /**
   * at least 1; relative share of the requests
   */
  'weight': (number);
  /**
   * its name for people, logs and metrics; not secret
   */
  'name': (string);
}
