// Original file: protos/tollgate/policy/v1/policy.proto


export interface DependencyHealth {
  /**
   * redis, catalog, postgres
   */
  'name'?: (string);
  'ok'?: (boolean);
  /**
   * why not
   */
  'message'?: (string);
}

export interface DependencyHealth__Output {
  /**
   * redis, catalog, postgres
   */
  'name': (string);
  'ok': (boolean);
  /**
   * why not
   */
  'message': (string);
}
