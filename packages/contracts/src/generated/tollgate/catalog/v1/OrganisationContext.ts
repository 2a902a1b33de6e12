// Original file: protos/tollgate/catalog/v1/directory.proto

import type { ModelEntry as _tollgate_catalog_v1_ModelEntry, ModelEntry__Output as _tollgate_catalog_v1_ModelEntry__Output } from '../../../tollgate/catalog/v1/ModelEntry';
import type { Limit as _tollgate_catalog_v1_Limit, Limit__Output as _tollgate_catalog_v1_Limit__Output } from '../../../tollgate/catalog/v1/Limit';

/**
 * What all keys of an organisation have in common.
 */
export interface OrganisationContext {
  /**
   * of all below: the same digest is the same content
   */
  'digest'?: (Buffer | Uint8Array | string);
  /**
   * the caller named the digest: what is below is left out
   */
  'known'?: (boolean);
  /**
   * every active one; `granted` is not told here
   */
  'models'?: (_tollgate_catalog_v1_ModelEntry)[];
  /**
   * of the organisation and of its active models
   */
  'limits'?: (_tollgate_catalog_v1_Limit)[];
}

/**
 * What all keys of an organisation have in common.
 */
export interface OrganisationContext__Output {
  /**
   * of all below: the same digest is the same content
   */
  'digest': (Buffer);
  /**
   * the caller named the digest: what is below is left out
   */
  'known': (boolean);
  /**
   * every active one; `granted` is not told here
   */
  'models': (_tollgate_catalog_v1_ModelEntry__Output)[];
  /**
   * of the organisation and of its active models
   */
  'limits': (_tollgate_catalog_v1_Limit__Output)[];
}
