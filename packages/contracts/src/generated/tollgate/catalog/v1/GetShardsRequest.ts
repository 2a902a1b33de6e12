// Original file: protos/tollgate/catalog/v1/ledger.proto


export interface GetShardsRequest {
  /**
   * empty: all 256
   */
  'shards'?: (number)[];
}

export interface GetShardsRequest__Output {
  /**
   * empty: all 256
   */
  'shards': (number)[];
}
