// Original file: protos/tollgate/catalog/v1/directory.proto

import type { Subject as _tollgate_policy_v1_Subject, Subject__Output as _tollgate_policy_v1_Subject__Output } from '../../../tollgate/policy/v1/Subject';
import type { ModelEntry as _tollgate_catalog_v1_ModelEntry, ModelEntry__Output as _tollgate_catalog_v1_ModelEntry__Output } from '../../../tollgate/catalog/v1/ModelEntry';
import type { Limit as _tollgate_catalog_v1_Limit, Limit__Output as _tollgate_catalog_v1_Limit__Output } from '../../../tollgate/catalog/v1/Limit';
import type { RoutingPolicy as _tollgate_catalog_v1_RoutingPolicy, RoutingPolicy__Output as _tollgate_catalog_v1_RoutingPolicy__Output } from '../../../tollgate/catalog/v1/RoutingPolicy';
import type { McpGrant as _tollgate_catalog_v1_McpGrant, McpGrant__Output as _tollgate_catalog_v1_McpGrant__Output } from '../../../tollgate/catalog/v1/McpGrant';
import type { McpServerEntry as _tollgate_catalog_v1_McpServerEntry, McpServerEntry__Output as _tollgate_catalog_v1_McpServerEntry__Output } from '../../../tollgate/catalog/v1/McpServerEntry';
import type { ScreeningEntry as _tollgate_catalog_v1_ScreeningEntry, ScreeningEntry__Output as _tollgate_catalog_v1_ScreeningEntry__Output } from '../../../tollgate/catalog/v1/ScreeningEntry';
import type { AllowedRegions as _tollgate_catalog_v1_AllowedRegions, AllowedRegions__Output as _tollgate_catalog_v1_AllowedRegions__Output } from '../../../tollgate/catalog/v1/AllowedRegions';
import type { ValueLimit as _tollgate_catalog_v1_ValueLimit, ValueLimit__Output as _tollgate_catalog_v1_ValueLimit__Output } from '../../../tollgate/catalog/v1/ValueLimit';
import type { AliasEntry as _tollgate_catalog_v1_AliasEntry, AliasEntry__Output as _tollgate_catalog_v1_AliasEntry__Output } from '../../../tollgate/catalog/v1/AliasEntry';
import type { ResponseCache as _tollgate_policy_v1_ResponseCache, ResponseCache__Output as _tollgate_policy_v1_ResponseCache__Output } from '../../../tollgate/policy/v1/ResponseCache';
import type { PassthroughProvider as _tollgate_catalog_v1_PassthroughProvider, PassthroughProvider__Output as _tollgate_catalog_v1_PassthroughProvider__Output } from '../../../tollgate/catalog/v1/PassthroughProvider';
import type { ExperimentEntry as _tollgate_catalog_v1_ExperimentEntry, ExperimentEntry__Output as _tollgate_catalog_v1_ExperimentEntry__Output } from '../../../tollgate/catalog/v1/ExperimentEntry';
import type { KeptBodies as _tollgate_policy_v1_KeptBodies, KeptBodies__Output as _tollgate_policy_v1_KeptBodies__Output } from '../../../tollgate/policy/v1/KeptBodies';
import type { Long } from '@grpc/proto-loader';

export interface KeyContext {
  'subject'?: (_tollgate_policy_v1_Subject | null);
  /**
   * false: organisation suspended, user disabled, key revoked
   */
  'active'?: (boolean);
  /**
   * for the log; never told to the client
   */
  'inactiveReason'?: (string);
  /**
   * 0: never
   */
  'expiresAtMs'?: (number | string | Long);
  /**
   * IANA name of the organisation's zone
   */
  'timeZone'?: (string);
  'openCompatRoutes'?: (boolean);
  'routeCompatRequests'?: (boolean);
  /**
   * every active model of the organisation, granted or not
   */
  'models'?: (_tollgate_catalog_v1_ModelEntry)[];
  /**
   * every limit of every level that can bind this key
   */
  'limits'?: (_tollgate_catalog_v1_Limit)[];
  'mcpServerIds'?: (string)[];
  /**
   * hash(organisation) mod 256
   */
  'shard'?: (number);
  'routingEnabled'?: (boolean);
  /**
   * the key's own, while it and the organisation's switch are on
   */
  'routingPolicy'?: (_tollgate_catalog_v1_RoutingPolicy | null);
  /**
   * answers tell the provider's own name for the model
   */
  'tellUpstreamModel'?: (boolean);
  /**
   * the output bound of requests that name none is held, not sent
   */
  'outputBoundUnsent'?: (boolean);
  /**
   * of the servers in mcp_server_ids
   */
  'mcpGrants'?: (_tollgate_catalog_v1_McpGrant)[];
  /**
   * every active one of the organisation
   */
  'mcpServers'?: (_tollgate_catalog_v1_McpServerEntry)[];
  /**
   * every active one of the organisation
   */
  'screening'?: (_tollgate_catalog_v1_ScreeningEntry)[];
  /**
   * spans of traced requests have prompts and answers
   */
  'traceContent'?: (boolean);
  /**
   * Of the organisation, the team and the key, as far as they are set. A request uses only regions that are
   * in all of them, and in those of its model.
   */
  'allowedRegions'?: (_tollgate_catalog_v1_AllowedRegions)[];
  /**
   * The end users, sessions and tags that this key's requests name count in the whole organisation. Otherwise end
   * users and sessions count within the key, and tags not at all.
   */
  'trustedAttribution'?: (boolean);
  /**
   * that requests may set; at most 10
   */
  'tagKeys'?: (string)[];
  /**
   * otherwise they are ignored
   */
  'refuseUnknownTags'?: (boolean);
  /**
   * Limits on each end user, session or value of a tag that can bind this key. They are not among `limits`, because a
   * policy of an earlier release refuses a scope that it does not know.
   */
  'valueLimits'?: (_tollgate_catalog_v1_ValueLimit)[];
  /**
   * every active one of the organisation
   */
  'aliases'?: (_tollgate_catalog_v1_AliasEntry)[];
  /**
   * absent: off
   */
  'responseCache'?: (_tollgate_policy_v1_ResponseCache | null);
  /**
   * every active one of the organisation with rules
   */
  'passthrough'?: (_tollgate_catalog_v1_PassthroughProvider)[];
  /**
   * those that the key may call
   */
  'passthroughProviderIds'?: (string)[];
  /**
   * every active one of the organisation
   */
  'experiments'?: (_tollgate_catalog_v1_ExperimentEntry)[];
  /**
   * Whose decisions are reported to Ledger.ReportDecisions: REFUSED, ALL; empty: none.
   */
  'keepDecisions'?: (string);
  /**
   * absent: none is kept
   */
  'keptBodies'?: (_tollgate_policy_v1_KeptBodies | null);
}

export interface KeyContext__Output {
  'subject': (_tollgate_policy_v1_Subject__Output | null);
  /**
   * false: organisation suspended, user disabled, key revoked
   */
  'active': (boolean);
  /**
   * for the log; never told to the client
   */
  'inactiveReason': (string);
  /**
   * 0: never
   */
  'expiresAtMs': (number);
  /**
   * IANA name of the organisation's zone
   */
  'timeZone': (string);
  'openCompatRoutes': (boolean);
  'routeCompatRequests': (boolean);
  /**
   * every active model of the organisation, granted or not
   */
  'models': (_tollgate_catalog_v1_ModelEntry__Output)[];
  /**
   * every limit of every level that can bind this key
   */
  'limits': (_tollgate_catalog_v1_Limit__Output)[];
  'mcpServerIds': (string)[];
  /**
   * hash(organisation) mod 256
   */
  'shard': (number);
  'routingEnabled': (boolean);
  /**
   * the key's own, while it and the organisation's switch are on
   */
  'routingPolicy': (_tollgate_catalog_v1_RoutingPolicy__Output | null);
  /**
   * answers tell the provider's own name for the model
   */
  'tellUpstreamModel': (boolean);
  /**
   * the output bound of requests that name none is held, not sent
   */
  'outputBoundUnsent': (boolean);
  /**
   * of the servers in mcp_server_ids
   */
  'mcpGrants': (_tollgate_catalog_v1_McpGrant__Output)[];
  /**
   * every active one of the organisation
   */
  'mcpServers': (_tollgate_catalog_v1_McpServerEntry__Output)[];
  /**
   * every active one of the organisation
   */
  'screening': (_tollgate_catalog_v1_ScreeningEntry__Output)[];
  /**
   * spans of traced requests have prompts and answers
   */
  'traceContent': (boolean);
  /**
   * Of the organisation, the team and the key, as far as they are set. A request uses only regions that are
   * in all of them, and in those of its model.
   */
  'allowedRegions': (_tollgate_catalog_v1_AllowedRegions__Output)[];
  /**
   * The end users, sessions and tags that this key's requests name count in the whole organisation. Otherwise end
   * users and sessions count within the key, and tags not at all.
   */
  'trustedAttribution': (boolean);
  /**
   * that requests may set; at most 10
   */
  'tagKeys': (string)[];
  /**
   * otherwise they are ignored
   */
  'refuseUnknownTags': (boolean);
  /**
   * Limits on each end user, session or value of a tag that can bind this key. They are not among `limits`, because a
   * policy of an earlier release refuses a scope that it does not know.
   */
  'valueLimits': (_tollgate_catalog_v1_ValueLimit__Output)[];
  /**
   * every active one of the organisation
   */
  'aliases': (_tollgate_catalog_v1_AliasEntry__Output)[];
  /**
   * absent: off
   */
  'responseCache': (_tollgate_policy_v1_ResponseCache__Output | null);
  /**
   * every active one of the organisation with rules
   */
  'passthrough': (_tollgate_catalog_v1_PassthroughProvider__Output)[];
  /**
   * those that the key may call
   */
  'passthroughProviderIds': (string)[];
  /**
   * every active one of the organisation
   */
  'experiments': (_tollgate_catalog_v1_ExperimentEntry__Output)[];
  /**
   * Whose decisions are reported to Ledger.ReportDecisions: REFUSED, ALL; empty: none.
   */
  'keepDecisions': (string);
  /**
   * absent: none is kept
   */
  'keptBodies': (_tollgate_policy_v1_KeptBodies__Output | null);
}
