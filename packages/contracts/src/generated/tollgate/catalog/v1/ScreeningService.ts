// Original file: protos/tollgate/catalog/v1/directory.proto

import type { McpAuth as _tollgate_catalog_v1_McpAuth, McpAuth__Output as _tollgate_catalog_v1_McpAuth__Output } from '../../../tollgate/catalog/v1/McpAuth';
import type { SealedSecret as _tollgate_catalog_v1_SealedSecret, SealedSecret__Output as _tollgate_catalog_v1_SealedSecret__Output } from '../../../tollgate/catalog/v1/SealedSecret';

/**
 * A service that rules ask about texts.
 */
export interface ScreeningService {
  'serviceId'?: (string);
  'identifier'?: (string);
  'url'?: (string);
  /**
   * as the REST API has it
   */
  'protocolJson'?: (string);
  /**
   * NONE, BEARER, HEADER
   */
  'auth'?: (_tollgate_catalog_v1_McpAuth | null);
  /**
   * absent: none; api_key_id is empty and weight 1
   */
  'secret'?: (_tollgate_catalog_v1_SealedSecret | null);
}

/**
 * A service that rules ask about texts.
 */
export interface ScreeningService__Output {
  'serviceId': (string);
  'identifier': (string);
  'url': (string);
  /**
   * as the REST API has it
   */
  'protocolJson': (string);
  /**
   * NONE, BEARER, HEADER
   */
  'auth': (_tollgate_catalog_v1_McpAuth__Output | null);
  /**
   * absent: none; api_key_id is empty and weight 1
   */
  'secret': (_tollgate_catalog_v1_SealedSecret__Output | null);
}
