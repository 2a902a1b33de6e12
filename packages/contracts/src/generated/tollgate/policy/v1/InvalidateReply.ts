// Original file: protos/tollgate/policy/v1/policy.proto


export interface InvalidateReply {
  'dropped'?: (number);
}

export interface InvalidateReply__Output {
  'dropped': (number);
}
