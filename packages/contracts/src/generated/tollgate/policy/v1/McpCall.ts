// Original file: protos/tollgate/policy/v1/policy.proto


/**
 * One JSON-RPC request to an MCP server.
 */
export interface McpCall {
  /**
   * the server's identifier, as in the path
   */
  'server'?: (string);
  /**
   * JSON-RPC method, from the body
   */
  'method'?: (string);
  /**
   * The tool, the prompt or the URI of the resource that the request names; empty: none.
   */
  'name'?: (string);
}

/**
 * One JSON-RPC request to an MCP server.
 */
export interface McpCall__Output {
  /**
   * the server's identifier, as in the path
   */
  'server': (string);
  /**
   * JSON-RPC method, from the body
   */
  'method': (string);
  /**
   * The tool, the prompt or the URI of the resource that the request names; empty: none.
   */
  'name': (string);
}
