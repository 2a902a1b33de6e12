// Original file: protos/tollgate/policy/v1/policy.proto

import type { SessionResult as _tollgate_policy_v1_SessionResult, SessionResult__Output as _tollgate_policy_v1_SessionResult__Output } from '../../../tollgate/policy/v1/SessionResult';
import type { BookedMark as _tollgate_policy_v1_BookedMark, BookedMark__Output as _tollgate_policy_v1_BookedMark__Output } from '../../../tollgate/policy/v1/BookedMark';
import type { SharedPart as _tollgate_policy_v1_SharedPart, SharedPart__Output as _tollgate_policy_v1_SharedPart__Output } from '../../../tollgate/policy/v1/SharedPart';
import type { Long } from '@grpc/proto-loader';

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
  /**
   * ids of earlier frames name nothing any more
   */
  'sharedCleared'?: (boolean);
  /**
   * named by results of this frame and of later ones
   */
  'shared'?: (_tollgate_policy_v1_SharedPart)[];
  /**
   * Floats that this process has lost or cannot report: adopt each running hold of them, over another session.
   */
  'adoptFloats'?: (string)[];
  /**
   * The epoch that each of reopened_shards has now, in the same order. Earlier releases send none.
   */
  'reopenedEpochs'?: (number | string | Long)[];
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
  /**
   * ids of earlier frames name nothing any more
   */
  'sharedCleared': (boolean);
  /**
   * named by results of this frame and of later ones
   */
  'shared': (_tollgate_policy_v1_SharedPart__Output)[];
  /**
   * Floats that this process has lost or cannot report: adopt each running hold of them, over another session.
   */
  'adoptFloats': (string)[];
  /**
   * The epoch that each of reopened_shards has now, in the same order. Earlier releases send none.
   */
  'reopenedEpochs': (number)[];
}
