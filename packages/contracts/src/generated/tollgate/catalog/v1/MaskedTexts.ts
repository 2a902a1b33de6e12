// Original file: protos/tollgate/catalog/v1/ledger.proto


/**
 * Texts of one kind that were masked.
 */
export interface MaskedTexts {
  /**
   * EMAIL, SECRET, …
   */
  'label'?: (string);
  'count'?: (number);
}

/**
 * Texts of one kind that were masked.
 */
export interface MaskedTexts__Output {
  /**
   * EMAIL, SECRET, …
   */
  'label': (string);
  'count': (number);
}
