// Original file: protos/tollgate/catalog/v1/ledger.proto


export interface ReportSoftLimitsReply {
  /**
   * those that were not reported before
   */
  'noted'?: (number);
}

export interface ReportSoftLimitsReply__Output {
  /**
   * those that were not reported before
   */
  'noted': (number);
}
