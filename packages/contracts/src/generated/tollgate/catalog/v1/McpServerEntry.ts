// Original file: protos/tollgate/catalog/v1/directory.proto

import type { McpRules as _tollgate_policy_v1_McpRules, McpRules__Output as _tollgate_policy_v1_McpRules__Output } from '../../../tollgate/policy/v1/McpRules';
import type { McpToolPin as _tollgate_policy_v1_McpToolPin, McpToolPin__Output as _tollgate_policy_v1_McpToolPin__Output } from '../../../tollgate/policy/v1/McpToolPin';
import type { Long } from '@grpc/proto-loader';

/**
 * An MCP server as all keys of its organisation share it.
 */
export interface McpServerEntry {
  'serverId'?: (string);
  'identifier'?: (string);
  'connectionVersion'?: (number | string | Long);
  /**
   * price of a call, decimal string
   */
  'callNanoUsd'?: (string);
  /**
   * instead of call_nano_usd, by tool
   */
  'toolNanoUsd'?: ({[key: string]: string});
  'chargeFailures'?: (boolean);
  'rules'?: (_tollgate_policy_v1_McpRules | null);
  'pins'?: (_tollgate_policy_v1_McpToolPin)[];
  /**
   * of its connection; empty: unknown
   */
  'region'?: (string);
}

/**
 * An MCP server as all keys of its organisation share it.
 */
export interface McpServerEntry__Output {
  'serverId': (string);
  'identifier': (string);
  'connectionVersion': (number);
  /**
   * price of a call, decimal string
   */
  'callNanoUsd': (string);
  /**
   * instead of call_nano_usd, by tool
   */
  'toolNanoUsd': ({[key: string]: string});
  'chargeFailures': (boolean);
  'rules': (_tollgate_policy_v1_McpRules__Output | null);
  'pins': (_tollgate_policy_v1_McpToolPin__Output)[];
  /**
   * of its connection; empty: unknown
   */
  'region': (string);
}
