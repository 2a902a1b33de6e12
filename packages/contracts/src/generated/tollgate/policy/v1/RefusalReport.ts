// Original file: protos/tollgate/policy/v1/policy.proto


/**
 * What an edge has refused by itself: of those that policy refuses it knows. Nothing is answered, and
 * nothing depends on a report that is lost.
 */
export interface RefusalReport {
  /**
   * 32 bytes; nothing is kept of a key that does not exist
   */
  'keySha256'?: (Buffer | Uint8Array | string);
  'requestId'?: (string);
  /**
   * from the contracts' error table
   */
  'code'?: (string);
  /**
   * path of the field that is at fault; empty: none
   */
  'param'?: (string);
  /**
   * as the client named it; empty: not known
   */
  'model'?: (string);
}

/**
 * What an edge has refused by itself: of those that policy refuses it knows. Nothing is answered, and
 * nothing depends on a report that is lost.
 */
export interface RefusalReport__Output {
  /**
   * 32 bytes; nothing is kept of a key that does not exist
   */
  'keySha256': (Buffer);
  'requestId': (string);
  /**
   * from the contracts' error table
   */
  'code': (string);
  /**
   * path of the field that is at fault; empty: none
   */
  'param': (string);
  /**
   * as the client named it; empty: not known
   */
  'model': (string);
}
