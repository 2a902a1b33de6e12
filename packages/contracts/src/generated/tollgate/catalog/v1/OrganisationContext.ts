// Original file: protos/tollgate/catalog/v1/directory.proto

import type { ModelEntry as _tollgate_catalog_v1_ModelEntry, ModelEntry__Output as _tollgate_catalog_v1_ModelEntry__Output } from '../../../tollgate/catalog/v1/ModelEntry';
import type { Limit as _tollgate_catalog_v1_Limit, Limit__Output as _tollgate_catalog_v1_Limit__Output } from '../../../tollgate/catalog/v1/Limit';
import type { McpServerEntry as _tollgate_catalog_v1_McpServerEntry, McpServerEntry__Output as _tollgate_catalog_v1_McpServerEntry__Output } from '../../../tollgate/catalog/v1/McpServerEntry';
import type { ScreeningEntry as _tollgate_catalog_v1_ScreeningEntry, ScreeningEntry__Output as _tollgate_catalog_v1_ScreeningEntry__Output } from '../../../tollgate/catalog/v1/ScreeningEntry';
import type { AliasEntry as _tollgate_catalog_v1_AliasEntry, AliasEntry__Output as _tollgate_catalog_v1_AliasEntry__Output } from '../../../tollgate/catalog/v1/AliasEntry';
import type { PassthroughProvider as _tollgate_catalog_v1_PassthroughProvider, PassthroughProvider__Output as _tollgate_catalog_v1_PassthroughProvider__Output } from '../../../tollgate/catalog/v1/PassthroughProvider';
import type { ExperimentEntry as _tollgate_catalog_v1_ExperimentEntry, ExperimentEntry__Output as _tollgate_catalog_v1_ExperimentEntry__Output } from '../../../tollgate/catalog/v1/ExperimentEntry';

/**
 * What all keys of an organisation share.
 */
export interface OrganisationContext {
  /**
   * of all fields below: equal digests mean equal content
   */
  'digest'?: (Buffer | Uint8Array | string);
  /**
   * the caller named the digest: the fields below are empty
   */
  'known'?: (boolean);
  /**
   * every active one; `granted` is not set here
   */
  'models'?: (_tollgate_catalog_v1_ModelEntry)[];
  /**
   * of the organisation, its active models and its active MCP servers
   */
  'limits'?: (_tollgate_catalog_v1_Limit)[];
  /**
   * every active one
   */
  'mcpServers'?: (_tollgate_catalog_v1_McpServerEntry)[];
  /**
   * every active one
   */
  'screening'?: (_tollgate_catalog_v1_ScreeningEntry)[];
  /**
   * every active one
   */
  'aliases'?: (_tollgate_catalog_v1_AliasEntry)[];
  /**
   * every active one with rules
   */
  'passthrough'?: (_tollgate_catalog_v1_PassthroughProvider)[];
  /**
   * every active one, at most 50
   */
  'experiments'?: (_tollgate_catalog_v1_ExperimentEntry)[];
}

/**
 * What all keys of an organisation share.
 */
export interface OrganisationContext__Output {
  /**
   * of all fields below: equal digests mean equal content
   */
  'digest': (Buffer);
  /**
   * the caller named the digest: the fields below are empty
   */
  'known': (boolean);
  /**
   * every active one; `granted` is not set here
   */
  'models': (_tollgate_catalog_v1_ModelEntry__Output)[];
  /**
   * of the organisation, its active models and its active MCP servers
   */
  'limits': (_tollgate_catalog_v1_Limit__Output)[];
  /**
   * every active one
   */
  'mcpServers': (_tollgate_catalog_v1_McpServerEntry__Output)[];
  /**
   * every active one
   */
  'screening': (_tollgate_catalog_v1_ScreeningEntry__Output)[];
  /**
   * every active one
   */
  'aliases': (_tollgate_catalog_v1_AliasEntry__Output)[];
  /**
   * every active one with rules
   */
  'passthrough': (_tollgate_catalog_v1_PassthroughProvider__Output)[];
  /**
   * every active one, at most 50
   */
  'experiments': (_tollgate_catalog_v1_ExperimentEntry__Output)[];
}
