// Original file: protos/tollgate/policy/v1/policy.proto

import type { PassthroughRule as _tollgate_policy_v1_PassthroughRule, PassthroughRule__Output as _tollgate_policy_v1_PassthroughRule__Output } from '../../../tollgate/policy/v1/PassthroughRule';
import type { Long } from '@grpc/proto-loader';

/**
 * The provider that a passthrough request goes to, and the rule that allows it.
 */
export interface PassthroughTarget {
  'providerId'?: (string);
  'providerName'?: (string);
  'providerType'?: (string);
  'upstreamFormat'?: (string);
  'connectionVersion'?: (number | string | Long);
  /**
   * of the connection; empty: unknown
   */
  'region'?: (string);
  'rule'?: (_tollgate_policy_v1_PassthroughRule | null);
}

/**
 * The provider that a passthrough request goes to, and the rule that allows it.
 */
export interface PassthroughTarget__Output {
  'providerId': (string);
  'providerName': (string);
  'providerType': (string);
  'upstreamFormat': (string);
  'connectionVersion': (number);
  /**
   * of the connection; empty: unknown
   */
  'region': (string);
  'rule': (_tollgate_policy_v1_PassthroughRule__Output | null);
}
