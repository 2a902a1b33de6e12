// Original file: protos/tollgate/catalog/v1/ledger.proto


/**
 * What a JSON-RPC request asked of an MCP server; how it ended is in settle.mcp.
 */
export interface McpRequest {
  'serverId'?: (string);
  /**
   * of the server, at the authorise instant
   */
  'identifier'?: (string);
  'method'?: (string);
  /**
   * tool, prompt or URI; empty: none
   */
  'name'?: (string);
}

/**
 * What a JSON-RPC request asked of an MCP server; how it ended is in settle.mcp.
 */
export interface McpRequest__Output {
  'serverId': (string);
  /**
   * of the server, at the authorise instant
   */
  'identifier': (string);
  'method': (string);
  /**
   * tool, prompt or URI; empty: none
   */
  'name': (string);
}
