// Original file: protos/tollgate/catalog/v1/ledger.proto

import type { Subject as _tollgate_policy_v1_Subject, Subject__Output as _tollgate_policy_v1_Subject__Output } from '../../../tollgate/policy/v1/Subject';
import type { SettleRequest as _tollgate_policy_v1_SettleRequest, SettleRequest__Output as _tollgate_policy_v1_SettleRequest__Output } from '../../../tollgate/policy/v1/SettleRequest';
import type { TouchedLimit as _tollgate_catalog_v1_TouchedLimit, TouchedLimit__Output as _tollgate_catalog_v1_TouchedLimit__Output } from '../../../tollgate/catalog/v1/TouchedLimit';
import type { McpRequest as _tollgate_catalog_v1_McpRequest, McpRequest__Output as _tollgate_catalog_v1_McpRequest__Output } from '../../../tollgate/catalog/v1/McpRequest';
import type { Long } from '@grpc/proto-loader';

export interface Entry {
  'seq'?: (number | string | Long);
  'requestId'?: (string);
  /**
   * SETTLED, ABANDONED, CANCELLED (late, after ABANDONED)
   */
  'mode'?: (string);
  'authorisedAtMs'?: (number | string | Long);
  'closedAtMs'?: (number | string | Long);
  'subject'?: (_tollgate_policy_v1_Subject | null);
  'modelId'?: (string);
  'modelName'?: (string);
  'providerId'?: (string);
  'operation'?: (string);
  'route'?: (string);
  'clientRequestId'?: (string);
  /**
   * usage, cost, outcome, attempts; no hold_token
   */
  'settle'?: (_tollgate_policy_v1_SettleRequest | null);
  'heldNanoUsd'?: (string);
  'touched'?: (_tollgate_catalog_v1_TouchedLimit)[];
  /**
   * the organisation's, by which the windows were computed
   */
  'timeZone'?: (string);
  'inputTokensEstimate'?: (number | string | Long);
  /**
   * cost beyond the hold; "0" when covered
   */
  'estimateShortfallNanoUsd'?: (string);
  /**
   * of the operations mcp_call and mcp_request, which have no model
   */
  'mcp'?: (_tollgate_catalog_v1_McpRequest | null);
}

export interface Entry__Output {
  'seq': (number);
  'requestId': (string);
  /**
   * SETTLED, ABANDONED, CANCELLED (late, after ABANDONED)
   */
  'mode': (string);
  'authorisedAtMs': (number);
  'closedAtMs': (number);
  'subject': (_tollgate_policy_v1_Subject__Output | null);
  'modelId': (string);
  'modelName': (string);
  'providerId': (string);
  'operation': (string);
  'route': (string);
  'clientRequestId': (string);
  /**
   * usage, cost, outcome, attempts; no hold_token
   */
  'settle': (_tollgate_policy_v1_SettleRequest__Output | null);
  'heldNanoUsd': (string);
  'touched': (_tollgate_catalog_v1_TouchedLimit__Output)[];
  /**
   * the organisation's, by which the windows were computed
   */
  'timeZone': (string);
  'inputTokensEstimate': (number);
  /**
   * cost beyond the hold; "0" when covered
   */
  'estimateShortfallNanoUsd': (string);
  /**
   * of the operations mcp_call and mcp_request, which have no model
   */
  'mcp': (_tollgate_catalog_v1_McpRequest__Output | null);
}
