// Original file: protos/tollgate/policy/v1/policy.proto


/**
 * A processing tier that a provider may charge at another price.
 */
export interface ServiceTier {
  /**
   * of the contracts' table: priority, flex, fast, us, …
   */
  'name'?: (string);
  /**
   * path of the field that asks for it; a refusal names it
   */
  'param'?: (string);
  /**
   * formats of the upstreams that are asked for it; empty: all
   */
  'upstreams'?: (string)[];
}

/**
 * A processing tier that a provider may charge at another price.
 */
export interface ServiceTier__Output {
  /**
   * of the contracts' table: priority, flex, fast, us, …
   */
  'name': (string);
  /**
   * path of the field that asks for it; a refusal names it
   */
  'param': (string);
  /**
   * formats of the upstreams that are asked for it; empty: all
   */
  'upstreams': (string)[];
}
