// Original file: protos/tollgate/policy/v1/policy.proto


/**
 * A tool whose definition may not change.
 */
export interface McpToolPin {
  'tool'?: (string);
  /**
   * 32 bytes, of the definition in canonical JSON (RFC 8785)
   */
  'sha256'?: (Buffer | Uint8Array | string);
}

/**
 * A tool whose definition may not change.
 */
export interface McpToolPin__Output {
  'tool': (string);
  /**
   * 32 bytes, of the definition in canonical JSON (RFC 8785)
   */
  'sha256': (Buffer);
}
