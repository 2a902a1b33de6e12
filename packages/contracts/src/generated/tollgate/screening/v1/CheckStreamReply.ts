// Original file: protos/tollgate/screening/v1/screening.proto

import type { CheckFinding as _tollgate_screening_v1_CheckFinding, CheckFinding__Output as _tollgate_screening_v1_CheckFinding__Output } from '../../../tollgate/screening/v1/CheckFinding';
import type { Long } from '@grpc/proto-loader';

/**
 * The service answers each piece once, in their order, each within the rule's timeout. The edge waits with new
 * pieces while 64 are unanswered, or while 20,000 characters are not released; a service that has answered
 * everything and still withholds so many has no verdict.
 */
export interface CheckStreamReply {
  /**
   * of the piece
   */
  'number'?: (number | string | Long);
  /**
   * PASS; BLOCK ends the answer, after what was released
   */
  'verdict'?: (string);
  /**
   * So much of the text from its beginning goes to the client now, in Unicode code points, findings masked. It never
   * shrinks. The reply to the last piece of a text releases all of it.
   */
  'released'?: (number | string | Long);
  /**
   * offsets from the beginning of the text, of what no reply has released before
   */
  'findings'?: (_tollgate_screening_v1_CheckFinding)[];
  /**
   * as in CheckReply
   */
  'message'?: (string);
}

/**
 * The service answers each piece once, in their order, each within the rule's timeout. The edge waits with new
 * pieces while 64 are unanswered, or while 20,000 characters are not released; a service that has answered
 * everything and still withholds so many has no verdict.
 */
export interface CheckStreamReply__Output {
  /**
   * of the piece
   */
  'number': (number);
  /**
   * PASS; BLOCK ends the answer, after what was released
   */
  'verdict': (string);
  /**
   * So much of the text from its beginning goes to the client now, in Unicode code points, findings masked. It never
   * shrinks. The reply to the last piece of a text releases all of it.
   */
  'released': (number);
  /**
   * offsets from the beginning of the text, of what no reply has released before
   */
  'findings': (_tollgate_screening_v1_CheckFinding__Output)[];
  /**
   * as in CheckReply
   */
  'message': (string);
}
