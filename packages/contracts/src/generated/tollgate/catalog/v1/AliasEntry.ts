// Original file: protos/tollgate/catalog/v1/directory.proto

import type { AliasTarget as _tollgate_catalog_v1_AliasTarget, AliasTarget__Output as _tollgate_catalog_v1_AliasTarget__Output } from '../../../tollgate/catalog/v1/AliasTarget';
import type { ModelRetirement as _tollgate_catalog_v1_ModelRetirement, ModelRetirement__Output as _tollgate_catalog_v1_ModelRetirement__Output } from '../../../tollgate/catalog/v1/ModelRetirement';
import type { Long } from '@grpc/proto-loader';

/**
 * Another name for a model, which may stand for different models at different times.
 */
export interface AliasEntry {
  'aliasId'?: (string);
  'name'?: (string);
  /**
   * empty: none given
   */
  'displayName'?: (string);
  'createdAtMs'?: (number | string | Long);
  /**
   * ascending by instant, at most 20; the last one that has begun is in force
   */
  'targets'?: (_tollgate_catalog_v1_AliasTarget)[];
  /**
   * absent: it has no end
   */
  'retirement'?: (_tollgate_catalog_v1_ModelRetirement | null);
}

/**
 * Another name for a model, which may stand for different models at different times.
 */
export interface AliasEntry__Output {
  'aliasId': (string);
  'name': (string);
  /**
   * empty: none given
   */
  'displayName': (string);
  'createdAtMs': (number);
  /**
   * ascending by instant, at most 20; the last one that has begun is in force
   */
  'targets': (_tollgate_catalog_v1_AliasTarget__Output)[];
  /**
   * absent: it has no end
   */
  'retirement': (_tollgate_catalog_v1_ModelRetirement__Output | null);
}
