// Original file: protos/tollgate/policy/v1/policy.proto

import type { McpRules as _tollgate_policy_v1_McpRules, McpRules__Output as _tollgate_policy_v1_McpRules__Output } from '../../../tollgate/policy/v1/McpRules';
import type { McpToolPin as _tollgate_policy_v1_McpToolPin, McpToolPin__Output as _tollgate_policy_v1_McpToolPin__Output } from '../../../tollgate/policy/v1/McpToolPin';
import type { ScreeningRef as _tollgate_policy_v1_ScreeningRef, ScreeningRef__Output as _tollgate_policy_v1_ScreeningRef__Output } from '../../../tollgate/policy/v1/ScreeningRef';
import type { Long } from '@grpc/proto-loader';

/**
 * The MCP server that a request is for, as the key may use it.
 */
export interface McpTarget {
  'serverId'?: (string);
  'identifier'?: (string);
  'connectionVersion'?: (number | string | Long);
  /**
   * of the server and of the key's grant
   */
  'rules'?: (_tollgate_policy_v1_McpRules)[];
  'pins'?: (_tollgate_policy_v1_McpToolPin)[];
  /**
   * a call that fails upstream is charged as well
   */
  'chargeFailures'?: (boolean);
  /**
   * every policy that applies to messages of this key and server
   */
  'screening'?: (_tollgate_policy_v1_ScreeningRef)[];
  /**
   * of the server's connection, at connection_version; empty: unknown
   */
  'region'?: (string);
}

/**
 * The MCP server that a request is for, as the key may use it.
 */
export interface McpTarget__Output {
  'serverId': (string);
  'identifier': (string);
  'connectionVersion': (number);
  /**
   * of the server and of the key's grant
   */
  'rules': (_tollgate_policy_v1_McpRules__Output)[];
  'pins': (_tollgate_policy_v1_McpToolPin__Output)[];
  /**
   * a call that fails upstream is charged as well
   */
  'chargeFailures': (boolean);
  /**
   * every policy that applies to messages of this key and server
   */
  'screening': (_tollgate_policy_v1_ScreeningRef__Output)[];
  /**
   * of the server's connection, at connection_version; empty: unknown
   */
  'region': (string);
}
