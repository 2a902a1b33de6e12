// Original file: protos/tollgate/policy/v1/policy.proto

import type { SessionItem as _tollgate_policy_v1_SessionItem, SessionItem__Output as _tollgate_policy_v1_SessionItem__Output } from '../../../tollgate/policy/v1/SessionItem';
import type { AttemptReport as _tollgate_policy_v1_AttemptReport, AttemptReport__Output as _tollgate_policy_v1_AttemptReport__Output } from '../../../tollgate/policy/v1/AttemptReport';
import type { RefusalReport as _tollgate_policy_v1_RefusalReport, RefusalReport__Output as _tollgate_policy_v1_RefusalReport__Output } from '../../../tollgate/policy/v1/RefusalReport';

export interface SessionRequest {
  /**
   * at most 256
   */
  'items'?: (_tollgate_policy_v1_SessionItem)[];
  /**
   * at most 256; not answered
   */
  'attempts'?: (_tollgate_policy_v1_AttemptReport)[];
  /**
   * at most 256; not answered
   */
  'refusals'?: (_tollgate_policy_v1_RefusalReport)[];
  /**
   * This caller keeps shared parts for as long as the session lasts: from now on replies may name them by
   * id. Once is enough.
   */
  'keepsShared'?: (boolean);
  /**
   * This caller knows holds of floats: it extends and settles them over this session, adopts them over another
   * one when this session ends or `adopt_floats` names them, closes a session that is silent, and says `resent`.
   * Without it every item of the session is decided exactly. Once is enough.
   */
  'adoptsFloats'?: (boolean);
}

export interface SessionRequest__Output {
  /**
   * at most 256
   */
  'items': (_tollgate_policy_v1_SessionItem__Output)[];
  /**
   * at most 256; not answered
   */
  'attempts': (_tollgate_policy_v1_AttemptReport__Output)[];
  /**
   * at most 256; not answered
   */
  'refusals': (_tollgate_policy_v1_RefusalReport__Output)[];
  /**
   * This caller keeps shared parts for as long as the session lasts: from now on replies may name them by
   * id. Once is enough.
   */
  'keepsShared': (boolean);
  /**
   * This caller knows holds of floats: it extends and settles them over this session, adopts them over another
   * one when this session ends or `adopt_floats` names them, closes a session that is silent, and says `resent`.
   * Without it every item of the session is decided exactly. Once is enough.
   */
  'adoptsFloats': (boolean);
}
