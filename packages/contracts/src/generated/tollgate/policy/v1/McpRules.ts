// Original file: protos/tollgate/policy/v1/policy.proto

import type { NameRules as _tollgate_policy_v1_NameRules, NameRules__Output as _tollgate_policy_v1_NameRules__Output } from '../../../tollgate/policy/v1/NameRules';

/**
 * What one rule set allows of a server. All rule sets of a target must allow a name.
 */
export interface McpRules {
  /**
   * absent, like the next two: everything
   */
  'tools'?: (_tollgate_policy_v1_NameRules | null);
  'prompts'?: (_tollgate_policy_v1_NameRules | null);
  /**
   * URIs
   */
  'resources'?: (_tollgate_policy_v1_NameRules | null);
}

/**
 * What one rule set allows of a server. All rule sets of a target must allow a name.
 */
export interface McpRules__Output {
  /**
   * absent, like the next two: everything
   */
  'tools': (_tollgate_policy_v1_NameRules__Output | null);
  'prompts': (_tollgate_policy_v1_NameRules__Output | null);
  /**
   * URIs
   */
  'resources': (_tollgate_policy_v1_NameRules__Output | null);
}
