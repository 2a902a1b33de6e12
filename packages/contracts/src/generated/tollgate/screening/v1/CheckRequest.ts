// Original file: protos/tollgate/screening/v1/screening.proto

import type { AskingRule as _tollgate_screening_v1_AskingRule, AskingRule__Output as _tollgate_screening_v1_AskingRule__Output } from '../../../tollgate/screening/v1/AskingRule';
import type { CheckedText as _tollgate_screening_v1_CheckedText, CheckedText__Output as _tollgate_screening_v1_CheckedText__Output } from '../../../tollgate/screening/v1/CheckedText';

export interface CheckRequest {
  /**
   * As in the usage record. A request that a plugin sent to another model has another id from then on.
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
  /**
   * Of a rule of the kind PLUGIN that may route, about a request: the model that it asks for, and those that the
   * reply may name in its place. Over HTTP `model` and `routeTo`.
   */
  'model'?: (string);
  'routeTo'?: (string)[];
}

export interface CheckRequest__Output {
  /**
   * As in the usage record. A request that a plugin sent to another model has another id from then on.
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
  /**
   * Of a rule of the kind PLUGIN that may route, about a request: the model that it asks for, and those that the
   * reply may name in its place. Over HTTP `model` and `routeTo`.
   */
  'model': (string);
  'routeTo': (string)[];
}
