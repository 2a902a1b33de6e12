// Original file: protos/tollgate/screening/v1/screening.proto

import type { AskingRule as _tollgate_screening_v1_AskingRule, AskingRule__Output as _tollgate_screening_v1_AskingRule__Output } from '../../../tollgate/screening/v1/AskingRule';

export interface CheckStreamStart {
  /**
   * as in CheckRequest
   */
  'requestId'?: (string);
  'rule'?: (_tollgate_screening_v1_AskingRule | null);
}

export interface CheckStreamStart__Output {
  /**
   * as in CheckRequest
   */
  'requestId': (string);
  'rule': (_tollgate_screening_v1_AskingRule__Output | null);
}
