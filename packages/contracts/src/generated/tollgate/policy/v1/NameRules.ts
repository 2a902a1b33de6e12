// Original file: protos/tollgate/policy/v1/policy.proto


/**
 * Names that a rule lets through. A name is allowed when one of `allowed` matches and none of `denied`.
 * A pattern is an exact name, or a prefix followed by `*`.
 */
export interface NameRules {
  /**
   * empty: none
   */
  'allowed'?: (string)[];
  'denied'?: (string)[];
}

/**
 * Names that a rule lets through. A name is allowed when one of `allowed` matches and none of `denied`.
 * A pattern is an exact name, or a prefix followed by `*`.
 */
export interface NameRules__Output {
  /**
   * empty: none
   */
  'allowed': (string)[];
  'denied': (string)[];
}
