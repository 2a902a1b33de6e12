// Original file: protos/tollgate/catalog/v1/ledger.proto


export interface KeepBodiesReply {
  'stored'?: (number);
}

export interface KeepBodiesReply__Output {
  'stored': (number);
}
