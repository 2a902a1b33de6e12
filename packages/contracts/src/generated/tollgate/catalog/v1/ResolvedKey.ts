// Original file: protos/tollgate/catalog/v1/directory.proto

import type { KeyContext as _tollgate_catalog_v1_KeyContext, KeyContext__Output as _tollgate_catalog_v1_KeyContext__Output } from '../../../tollgate/catalog/v1/KeyContext';
import type { ModelGrant as _tollgate_catalog_v1_ModelGrant, ModelGrant__Output as _tollgate_catalog_v1_ModelGrant__Output } from '../../../tollgate/catalog/v1/ModelGrant';

export interface ResolvedKey {
  'found'?: (boolean);
  /**
   * its limits are those of the key, its user and its team; no models
   */
  'context'?: (_tollgate_catalog_v1_KeyContext | null);
  /**
   * its place in `organisations`
   */
  'organisation'?: (number);
  'grantedModelIds'?: (string)[];
  /**
   * beside the single ones, applied to the organisation's models
   */
  'modelGrants'?: (_tollgate_catalog_v1_ModelGrant)[];
}

export interface ResolvedKey__Output {
  'found': (boolean);
  /**
   * its limits are those of the key, its user and its team; no models
   */
  'context': (_tollgate_catalog_v1_KeyContext__Output | null);
  /**
   * its place in `organisations`
   */
  'organisation': (number);
  'grantedModelIds': (string)[];
  /**
   * beside the single ones, applied to the organisation's models
   */
  'modelGrants': (_tollgate_catalog_v1_ModelGrant__Output)[];
}
