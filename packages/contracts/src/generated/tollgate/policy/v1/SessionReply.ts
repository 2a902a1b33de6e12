// Original file: protos/tollgate/policy/v1/policy.proto

import type { SessionResult as _tollgate_policy_v1_SessionResult, SessionResult__Output as _tollgate_policy_v1_SessionResult__Output } from '../../../tollgate/policy/v1/SessionResult';
import type { BookedMark as _tollgate_policy_v1_BookedMark, BookedMark__Output as _tollgate_policy_v1_BookedMark__Output } from '../../../tollgate/policy/v1/BookedMark';

export interface SessionReply {
  'results'?: (_tollgate_policy_v1_SessionResult)[];
  /**
   * shards whose booked mark moved since the last frame
   */
  'booked'?: (_tollgate_policy_v1_BookedMark)[];
  /**
   * data loss: resend unbooked settles, adopt live holds
   */
  'reopenedShards'?: (number)[];
  /**
   * open another session; send new items here only until it is open
   */
  'draining'?: (boolean);
}

export interface SessionReply__Output {
  'results': (_tollgate_policy_v1_SessionResult__Output)[];
  /**
   * shards whose booked mark moved since the last frame
   */
  'booked': (_tollgate_policy_v1_BookedMark__Output)[];
  /**
   * data loss: resend unbooked settles, adopt live holds
   */
  'reopenedShards': (number)[];
  /**
   * open another session; send new items here only until it is open
   */
  'draining': (boolean);
}
