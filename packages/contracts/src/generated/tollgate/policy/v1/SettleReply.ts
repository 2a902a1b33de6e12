// Original file: protos/tollgate/policy/v1/policy.proto

import type { LimitState as _tollgate_policy_v1_LimitState, LimitState__Output as _tollgate_policy_v1_LimitState__Output } from '../../../tollgate/policy/v1/LimitState';
import type { Long } from '@grpc/proto-loader';

export interface SettleReply {
  /**
   * had been ended before; nothing was charged now
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
   * the shard's generation that `seq` is of
   */
  'epoch'?: (number | string | Long);
}

export interface SettleReply__Output {
  /**
   * had been ended before; nothing was charged now
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
   * the shard's generation that `seq` is of
   */
  'epoch': (number);
}
