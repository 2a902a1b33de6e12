// Original file: protos/tollgate/catalog/v1/directory.proto

import type { McpRules as _tollgate_policy_v1_McpRules, McpRules__Output as _tollgate_policy_v1_McpRules__Output } from '../../../tollgate/policy/v1/McpRules';

/**
 * A key's grant of an MCP server.
 */
export interface McpGrant {
  'serverId'?: (string);
  'rules'?: (_tollgate_policy_v1_McpRules | null);
}

/**
 * A key's grant of an MCP server.
 */
export interface McpGrant__Output {
  'serverId': (string);
  'rules': (_tollgate_policy_v1_McpRules__Output | null);
}
