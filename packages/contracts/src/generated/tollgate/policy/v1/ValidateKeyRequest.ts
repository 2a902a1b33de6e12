// Original file: protos/tollgate/policy/v1/policy.proto


export interface ValidateKeyRequest {
  'keySha256'?: (Buffer | Uint8Array | string);
}

export interface ValidateKeyRequest__Output {
  'keySha256': (Buffer);
}
