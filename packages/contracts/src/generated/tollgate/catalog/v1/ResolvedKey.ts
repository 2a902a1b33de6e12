// Original file: protos/tollgate/catalog/v1/directory.proto

import type { KeyContext as _tollgate_catalog_v1_KeyContext, KeyContext__Output as _tollgate_catalog_v1_KeyContext__Output } from '../../../tollgate/catalog/v1/KeyContext';
import type { ModelGrant as _tollgate_catalog_v1_ModelGrant, ModelGrant__Output as _tollgate_catalog_v1_ModelGrant__Output } from '../../../tollgate/catalog/v1/ModelGrant';

export interface ResolvedKey {
  'found'?: (boolean);
  /**
   * with the limits of the key, its user and its team only; without models
   */
  'context'?: (_tollgate_catalog_v1_KeyContext | null);
  /**
   * index in `organisations`
   */
  'organisation'?: (number);
  'grantedModelIds'?: (string)[];
  /**
   * standing grants, in addition to granted_model_ids
   */
  'modelGrants'?: (_tollgate_catalog_v1_ModelGrant)[];
}

export interface ResolvedKey__Output {
  'found': (boolean);
  /**
   * with the limits of the key, its user and its team only; without models
   */
  'context': (_tollgate_catalog_v1_KeyContext__Output | null);
  /**
   * index in `organisations`
   */
  'organisation': (number);
  'grantedModelIds': (string)[];
  /**
   * standing grants, in addition to granted_model_ids
   */
  'modelGrants': (_tollgate_catalog_v1_ModelGrant__Output)[];
}
