// Original file: protos/tollgate/catalog/v1/directory.proto

import type { McpSignInRule as _tollgate_catalog_v1_McpSignInRule, McpSignInRule__Output as _tollgate_catalog_v1_McpSignInRule__Output } from '../../../tollgate/catalog/v1/McpSignInRule';
import type { Long } from '@grpc/proto-loader';

export interface McpSignIn {
  'organisationId'?: (string);
  /**
   * milliseconds of the last change; equal: nothing has changed
   */
  'version'?: (number | string | Long);
  'issuer'?: (string);
  /**
   * beside the address of the server
   */
  'audiences'?: (string)[];
  /**
   * all are required
   */
  'scopes'?: (string)[];
  /**
   * the first match counts; without the keys that no longer exist
   */
  'rules'?: (_tollgate_catalog_v1_McpSignInRule)[];
}

export interface McpSignIn__Output {
  'organisationId': (string);
  /**
   * milliseconds of the last change; equal: nothing has changed
   */
  'version': (number);
  'issuer': (string);
  /**
   * beside the address of the server
   */
  'audiences': (string)[];
  /**
   * all are required
   */
  'scopes': (string)[];
  /**
   * the first match counts; without the keys that no longer exist
   */
  'rules': (_tollgate_catalog_v1_McpSignInRule__Output)[];
}
