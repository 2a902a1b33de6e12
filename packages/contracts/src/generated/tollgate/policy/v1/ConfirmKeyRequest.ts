// Original file: protos/tollgate/policy/v1/policy.proto


/**
 * Whether a key is valid now, from policy's cache where possible. The edge asks before it reads a large
 * body. Takes no hold and counts nothing; Authorize still decides.
 */
export interface ConfirmKeyRequest {
  /**
   * 32 bytes
   */
  'keySha256'?: (Buffer | Uint8Array | string);
  /**
   * identifier of an MCP server; empty: none
   */
  'mcpServer'?: (string);
}

/**
 * Whether a key is valid now, from policy's cache where possible. The edge asks before it reads a large
 * body. Takes no hold and counts nothing; Authorize still decides.
 */
export interface ConfirmKeyRequest__Output {
  /**
   * 32 bytes
   */
  'keySha256': (Buffer);
  /**
   * identifier of an MCP server; empty: none
   */
  'mcpServer': (string);
}
