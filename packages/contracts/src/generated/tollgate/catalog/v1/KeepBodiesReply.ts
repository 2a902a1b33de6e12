// Original file: protos/tollgate/catalog/v1/ledger.proto


/**
 * Of the requests and answers with a text: those not counted here were not wanted any more.
 */
export interface KeepBodiesReply {
  /**
   * also those that were stored before
   */
  'kept'?: (number);
  /**
   * noted as DAY_FULL
   */
  'dayFull'?: (number);
}

/**
 * Of the requests and answers with a text: those not counted here were not wanted any more.
 */
export interface KeepBodiesReply__Output {
  /**
   * also those that were stored before
   */
  'kept': (number);
  /**
   * noted as DAY_FULL
   */
  'dayFull': (number);
}
