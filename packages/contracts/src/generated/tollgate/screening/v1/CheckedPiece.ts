// Original file: protos/tollgate/screening/v1/screening.proto

import type { Long } from '@grpc/proto-loader';

/**
 * What follows in one text of the answer, such as a content block. At most 16,384 characters. Texts of an answer
 * may take turns.
 */
export interface CheckedPiece {
  /**
   * of the piece in the call, from 1
   */
  'number'?: (number | string | Long);
  /**
   * unique in the call
   */
  'textId'?: (string);
  /**
   * OUTPUT, TOOL_ARGUMENTS
   */
  'place'?: (string);
  /**
   * may be empty with `last`
   */
  'text'?: (string);
  /**
   * the text is complete
   */
  'last'?: (boolean);
}

/**
 * What follows in one text of the answer, such as a content block. At most 16,384 characters. Texts of an answer
 * may take turns.
 */
export interface CheckedPiece__Output {
  /**
   * of the piece in the call, from 1
   */
  'number': (number);
  /**
   * unique in the call
   */
  'textId': (string);
  /**
   * OUTPUT, TOOL_ARGUMENTS
   */
  'place': (string);
  /**
   * may be empty with `last`
   */
  'text': (string);
  /**
   * the text is complete
   */
  'last': (boolean);
}
