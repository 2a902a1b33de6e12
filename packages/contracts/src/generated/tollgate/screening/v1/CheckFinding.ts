// Original file: protos/tollgate/screening/v1/screening.proto

import type { Long } from '@grpc/proto-loader';

/**
 * A part of a text. Offsets count Unicode code points.
 */
export interface CheckFinding {
  'textId'?: (string);
  'start'?: (number | string | Long);
  /**
   * exclusive
   */
  'end'?: (number | string | Long);
  /**
   * names the placeholder, as PERSON for <PERSON_1>
   */
  'label'?: (string);
}

/**
 * A part of a text. Offsets count Unicode code points.
 */
export interface CheckFinding__Output {
  'textId': (string);
  'start': (number);
  /**
   * exclusive
   */
  'end': (number);
  /**
   * names the placeholder, as PERSON for <PERSON_1>
   */
  'label': (string);
}
