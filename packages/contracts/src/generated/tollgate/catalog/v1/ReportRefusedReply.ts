// Original file: protos/tollgate/catalog/v1/ledger.proto


export interface ReportRefusedReply {
  /**
   * rows that were inserted or updated
   */
  'stored'?: (number);
}

export interface ReportRefusedReply__Output {
  /**
   * rows that were inserted or updated
   */
  'stored': (number);
}
