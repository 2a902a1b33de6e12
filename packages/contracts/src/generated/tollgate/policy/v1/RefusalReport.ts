// Original file: protos/tollgate/policy/v1/policy.proto


/**
 * A refusal that the edge made by itself. There is no reply, and a lost report does no harm.
 */
export interface RefusalReport {
  /**
   * 32 bytes; unknown keys are ignored
   */
  'keySha256'?: (Buffer | Uint8Array | string);
  'requestId'?: (string);
  /**
   * from the contracts' error table
   */
  'code'?: (string);
  /**
   * path of the wrong field; empty: none
   */
  'param'?: (string);
  /**
   * as the client named it; empty: unknown
   */
  'model'?: (string);
  /**
   * a shadow of this experiment was not sent; empty: a client was refused
   */
  'shadowExperimentId'?: (string);
}

/**
 * A refusal that the edge made by itself. There is no reply, and a lost report does no harm.
 */
export interface RefusalReport__Output {
  /**
   * 32 bytes; unknown keys are ignored
   */
  'keySha256': (Buffer);
  'requestId': (string);
  /**
   * from the contracts' error table
   */
  'code': (string);
  /**
   * path of the wrong field; empty: none
   */
  'param': (string);
  /**
   * as the client named it; empty: unknown
   */
  'model': (string);
  /**
   * a shadow of this experiment was not sent; empty: a client was refused
   */
  'shadowExperimentId': (string);
}
