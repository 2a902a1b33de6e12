// Original file: protos/tollgate/catalog/v1/ledger.proto


export interface ReportReply {
  /**
   * upstreams with a new change
   */
  'stored'?: (number);
  /**
   * rows that were inserted or updated
   */
  'refusalsStored'?: (number);
}

export interface ReportReply__Output {
  /**
   * upstreams with a new change
   */
  'stored': (number);
  /**
   * rows that were inserted or updated
   */
  'refusalsStored': (number);
}
