// Original file: protos/tollgate/policy/v1/policy.proto


export interface ConfirmKeyReply {
  /**
   * known, active and not expired
   */
  'valid'?: (boolean);
}

export interface ConfirmKeyReply__Output {
  /**
   * known, active and not expired
   */
  'valid': (boolean);
}
