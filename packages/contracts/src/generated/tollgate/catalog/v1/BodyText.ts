// Original file: protos/tollgate/catalog/v1/ledger.proto


export interface BodyText {
  /**
   * JSON, or a plain text
   */
  'text'?: (string);
  /**
   * why there is no text, a code of the contracts; empty: the text is kept
   */
  'leftOut'?: (string);
  /**
   * the answer ended before it was complete
   */
  'partial'?: (boolean);
}

export interface BodyText__Output {
  /**
   * JSON, or a plain text
   */
  'text': (string);
  /**
   * why there is no text, a code of the contracts; empty: the text is kept
   */
  'leftOut': (string);
  /**
   * the answer ended before it was complete
   */
  'partial': (boolean);
}
