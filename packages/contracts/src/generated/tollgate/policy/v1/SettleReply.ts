// Original file: protos/tollgate/policy/v1/policy.proto

import type { LimitState as _tollgate_policy_v1_LimitState, LimitState__Output as _tollgate_policy_v1_LimitState__Output } from '../../../tollgate/policy/v1/LimitState';
import type { Long } from '@grpc/proto-loader';

export interface SettleReply {
  /**
   * ended before; nothing was charged now
   */
  'duplicate'?: (boolean);
  /**
   * ledger number of this close in its shard; 0 for CANCELLED
   */
  'seq'?: (number | string | Long);
  'shard'?: (number);
  /**
   * of Settle; empty in a session
   */
  'limits'?: (_tollgate_policy_v1_LimitState)[];
  /**
   * the shard's epoch that `seq` belongs to
   */
  'epoch'?: (number | string | Long);
}

export interface SettleReply__Output {
  /**
   * ended before; nothing was charged now
   */
  'duplicate': (boolean);
  /**
   * ledger number of this close in its shard; 0 for CANCELLED
   */
  'seq': (number);
  'shard': (number);
  /**
   * of Settle; empty in a session
   */
  'limits': (_tollgate_policy_v1_LimitState__Output)[];
  /**
   * the shard's epoch that `seq` belongs to
   */
  'epoch': (number);
}
