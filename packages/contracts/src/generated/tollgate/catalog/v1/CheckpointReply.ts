// Original file: protos/tollgate/catalog/v1/ledger.proto


export interface CheckpointReply {
  'stored'?: (number);
}

export interface CheckpointReply__Output {
  'stored': (number);
}
