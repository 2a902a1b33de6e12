// Original file: protos/tollgate/catalog/v1/ledger.proto


export interface ReportReply {
  /**
   * upstreams that were news
   */
  'stored'?: (number);
  /**
   * rows that were made or added to
   */
  'refusalsStored'?: (number);
}

export interface ReportReply__Output {
  /**
   * upstreams that were news
   */
  'stored': (number);
  /**
   * rows that were made or added to
   */
  'refusalsStored': (number);
}
