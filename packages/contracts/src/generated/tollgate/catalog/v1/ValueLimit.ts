// Original file: protos/tollgate/catalog/v1/directory.proto

import type { Limit as _tollgate_catalog_v1_Limit, Limit__Output as _tollgate_catalog_v1_Limit__Output } from '../../../tollgate/catalog/v1/Limit';

/**
 * A limit that each value has for itself.
 */
export interface ValueLimit {
  /**
   * scope_type: END_USER, SESSION, TAG; scope_id: the organisation, team or key
   */
  'limit'?: (_tollgate_catalog_v1_Limit | null);
  /**
   * of TAG
   */
  'tagKey'?: (string);
  /**
   * a request that names no value is refused
   */
  'requireValue'?: (boolean);
  /**
   * keys the hash of values in the ids of counters
   */
  'valueKey'?: (string);
}

/**
 * A limit that each value has for itself.
 */
export interface ValueLimit__Output {
  /**
   * scope_type: END_USER, SESSION, TAG; scope_id: the organisation, team or key
   */
  'limit': (_tollgate_catalog_v1_Limit__Output | null);
  /**
   * of TAG
   */
  'tagKey': (string);
  /**
   * a request that names no value is refused
   */
  'requireValue': (boolean);
  /**
   * keys the hash of values in the ids of counters
   */
  'valueKey': (string);
}
