// Original file: protos/tollgate/catalog/v1/ledger.proto


export interface ReportReply {
  /**
   * those that were news
   */
  'stored'?: (number);
}

export interface ReportReply__Output {
  /**
   * those that were news
   */
  'stored': (number);
}
