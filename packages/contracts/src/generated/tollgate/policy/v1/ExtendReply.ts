// Original file: protos/tollgate/policy/v1/policy.proto

import type { Denial as _tollgate_policy_v1_Denial, Denial__Output as _tollgate_policy_v1_Denial__Output } from '../../../tollgate/policy/v1/Denial';
import type { Long } from '@grpc/proto-loader';

export interface ExtendReply {
  'granted'?: (boolean);
  'leaseUntilMs'?: (number | string | Long);
  /**
   * replaces the one sent
   */
  'holdToken'?: (Buffer | Uint8Array | string);
  /**
   * when a limit refused
   */
  'denial'?: (_tollgate_policy_v1_Denial | null);
  /**
   * the hold has ended already
   */
  'gone'?: (boolean);
  /**
   * the float that the hold is part of from now on; empty: the store has the hold
   */
  'floatId'?: (string);
}

export interface ExtendReply__Output {
  'granted': (boolean);
  'leaseUntilMs': (number);
  /**
   * replaces the one sent
   */
  'holdToken': (Buffer);
  /**
   * when a limit refused
   */
  'denial': (_tollgate_policy_v1_Denial__Output | null);
  /**
   * the hold has ended already
   */
  'gone': (boolean);
  /**
   * the float that the hold is part of from now on; empty: the store has the hold
   */
  'floatId': (string);
}
