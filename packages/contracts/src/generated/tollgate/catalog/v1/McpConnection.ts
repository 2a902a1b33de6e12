// Original file: protos/tollgate/catalog/v1/directory.proto

import type { McpAuth as _tollgate_catalog_v1_McpAuth, McpAuth__Output as _tollgate_catalog_v1_McpAuth__Output } from '../../../tollgate/catalog/v1/McpAuth';
import type { SealedSecret as _tollgate_catalog_v1_SealedSecret, SealedSecret__Output as _tollgate_catalog_v1_SealedSecret__Output } from '../../../tollgate/catalog/v1/SealedSecret';
import type { Long } from '@grpc/proto-loader';

export interface McpConnection {
  'serverId'?: (string);
  'version'?: (number | string | Long);
  'organisationId'?: (string);
  'identifier'?: (string);
  /**
   * STREAMABLE_HTTP, SSE, STDIO
   */
  'transport'?: (string);
  /**
   * empty for STDIO
   */
  'url'?: (string);
  /**
   * for STDIO: the name of a command in the runner's own file
   */
  'command'?: (string);
  /**
   * extra headers, not secret
   */
  'headers'?: ({[key: string]: string});
  'connectTimeoutMs'?: (number | string | Long);
  /**
   * longest silence of the server while a request waits
   */
  'idleTimeoutMs'?: (number | string | Long);
  'auth'?: (_tollgate_catalog_v1_McpAuth | null);
  /**
   * absent: none; api_key_id is empty and weight 1
   */
  'secret'?: (_tollgate_catalog_v1_SealedSecret | null);
  /**
   * empty: unknown
   */
  'region'?: (string);
}

export interface McpConnection__Output {
  'serverId': (string);
  'version': (number);
  'organisationId': (string);
  'identifier': (string);
  /**
   * STREAMABLE_HTTP, SSE, STDIO
   */
  'transport': (string);
  /**
   * empty for STDIO
   */
  'url': (string);
  /**
   * for STDIO: the name of a command in the runner's own file
   */
  'command': (string);
  /**
   * extra headers, not secret
   */
  'headers': ({[key: string]: string});
  'connectTimeoutMs': (number);
  /**
   * longest silence of the server while a request waits
   */
  'idleTimeoutMs': (number);
  'auth': (_tollgate_catalog_v1_McpAuth__Output | null);
  /**
   * absent: none; api_key_id is empty and weight 1
   */
  'secret': (_tollgate_catalog_v1_SealedSecret__Output | null);
  /**
   * empty: unknown
   */
  'region': (string);
}
