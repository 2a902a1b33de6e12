// Original file: protos/tollgate/policy/v1/policy.proto

import type { Long } from '@grpc/proto-loader';

/**
 * How one JSON-RPC request to an MCP server ended, for its record.
 */
export interface McpResult {
  /**
   * of a JSON-RPC error; 0: there was none
   */
  'rpcErrorCode'?: (number);
  /**
   * the tool's result has isError
   */
  'isError'?: (boolean);
  /**
   * revision of the protocol, such as 2025-11-25; empty: unknown
   */
  'protocolVersion'?: (string);
  /**
   * resultType of the result; empty: complete
   */
  'resultType'?: (string);
  /**
   * of the body
   */
  'requestBytes'?: (number | string | Long);
  /**
   * of the answer's body that was relayed
   */
  'responseBytes'?: (number | string | Long);
  /**
   * of the session id of the server; empty: no session
   */
  'sessionSha256'?: (Buffer | Uint8Array | string);
  /**
   * from traceparent, 32 hexadecimal digits; empty: none
   */
  'traceId'?: (string);
}

/**
 * How one JSON-RPC request to an MCP server ended, for its record.
 */
export interface McpResult__Output {
  /**
   * of a JSON-RPC error; 0: there was none
   */
  'rpcErrorCode': (number);
  /**
   * the tool's result has isError
   */
  'isError': (boolean);
  /**
   * revision of the protocol, such as 2025-11-25; empty: unknown
   */
  'protocolVersion': (string);
  /**
   * resultType of the result; empty: complete
   */
  'resultType': (string);
  /**
   * of the body
   */
  'requestBytes': (number);
  /**
   * of the answer's body that was relayed
   */
  'responseBytes': (number);
  /**
   * of the session id of the server; empty: no session
   */
  'sessionSha256': (Buffer);
  /**
   * from traceparent, 32 hexadecimal digits; empty: none
   */
  'traceId': (string);
}
