// Original file: protos/tollgate/catalog/v1/directory.proto


/**
 * How the gateway authenticates to an MCP server.
 */
export interface McpAuth {
  /**
   * NONE, BEARER, HEADER, OAUTH_CLIENT_CREDENTIALS
   */
  'type'?: (string);
  /**
   * of HEADER: its name
   */
  'header'?: (string);
  /**
   * of HEADER: its value, with {{secret}} once
   */
  'template'?: (string);
  /**
   * Of OAUTH_CLIENT_CREDENTIALS; the secret is the client's.
   */
  'tokenUrl'?: (string);
  'clientId'?: (string);
  /**
   * empty: none is sent
   */
  'scope'?: (string);
  /**
   * RFC 8707; empty: none is sent
   */
  'resource'?: (string);
}

/**
 * How the gateway authenticates to an MCP server.
 */
export interface McpAuth__Output {
  /**
   * NONE, BEARER, HEADER, OAUTH_CLIENT_CREDENTIALS
   */
  'type': (string);
  /**
   * of HEADER: its name
   */
  'header': (string);
  /**
   * of HEADER: its value, with {{secret}} once
   */
  'template': (string);
  /**
   * Of OAUTH_CLIENT_CREDENTIALS; the secret is the client's.
   */
  'tokenUrl': (string);
  'clientId': (string);
  /**
   * empty: none is sent
   */
  'scope': (string);
  /**
   * RFC 8707; empty: none is sent
   */
  'resource': (string);
}
