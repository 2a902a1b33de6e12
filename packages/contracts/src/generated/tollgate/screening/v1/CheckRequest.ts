// Original file: protos/tollgate/screening/v1/screening.proto

import type { AskingRule as _tollgate_screening_v1_AskingRule, AskingRule__Output as _tollgate_screening_v1_AskingRule__Output } from '../../../tollgate/screening/v1/AskingRule';
import type { CheckedText as _tollgate_screening_v1_CheckedText, CheckedText__Output as _tollgate_screening_v1_CheckedText__Output } from '../../../tollgate/screening/v1/CheckedText';

export interface CheckRequest {
  /**
   * as in the usage record
   */
  'requestId'?: (string);
  /**
   * the rule that asks
   */
  'rule'?: (_tollgate_screening_v1_AskingRule | null);
  /**
   * at least one; nothing else of the request is sent
   */
  'texts'?: (_tollgate_screening_v1_CheckedText)[];
  /**
   * Of a rule of the kind PLUGIN: a JSON object of the parameters that it may change. Over HTTP it is the
   * object `parameters`.
   */
  'parametersJson'?: (string);
}

export interface CheckRequest__Output {
  /**
   * as in the usage record
   */
  'requestId': (string);
  /**
   * the rule that asks
   */
  'rule': (_tollgate_screening_v1_AskingRule__Output | null);
  /**
   * at least one; nothing else of the request is sent
   */
  'texts': (_tollgate_screening_v1_CheckedText__Output)[];
  /**
   * Of a rule of the kind PLUGIN: a JSON object of the parameters that it may change. Over HTTP it is the
   * object `parameters`.
   */
  'parametersJson': (string);
}
