// Original file: protos/tollgate/catalog/v1/directory.proto

import type { PassthroughRule as _tollgate_policy_v1_PassthroughRule, PassthroughRule__Output as _tollgate_policy_v1_PassthroughRule__Output } from '../../../tollgate/policy/v1/PassthroughRule';
import type { Long } from '@grpc/proto-loader';

/**
 * A provider whose endpoints may be called as they are.
 */
export interface PassthroughProvider {
  'providerId'?: (string);
  'name'?: (string);
  'providerType'?: (string);
  'upstreamFormat'?: (string);
  'connectionVersion'?: (number | string | Long);
  /**
   * of its connection; empty: unknown
   */
  'region'?: (string);
  /**
   * 1 to 50; the first that matches counts
   */
  'rules'?: (_tollgate_policy_v1_PassthroughRule)[];
}

/**
 * A provider whose endpoints may be called as they are.
 */
export interface PassthroughProvider__Output {
  'providerId': (string);
  'name': (string);
  'providerType': (string);
  'upstreamFormat': (string);
  'connectionVersion': (number);
  /**
   * of its connection; empty: unknown
   */
  'region': (string);
  /**
   * 1 to 50; the first that matches counts
   */
  'rules': (_tollgate_policy_v1_PassthroughRule__Output)[];
}
