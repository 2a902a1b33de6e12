// Original file: protos/tollgate/policy/v1/policy.proto

import type { McpTarget as _tollgate_policy_v1_McpTarget, McpTarget__Output as _tollgate_policy_v1_McpTarget__Output } from '../../../tollgate/policy/v1/McpTarget';

export interface ConfirmKeyReply {
  /**
   * known, active and not expired
   */
  'valid'?: (boolean);
  /**
   * the named server; absent: unknown, switched off or not granted
   */
  'mcp'?: (_tollgate_policy_v1_McpTarget | null);
}

export interface ConfirmKeyReply__Output {
  /**
   * known, active and not expired
   */
  'valid': (boolean);
  /**
   * the named server; absent: unknown, switched off or not granted
   */
  'mcp': (_tollgate_policy_v1_McpTarget__Output | null);
}
