// Original file: protos/tollgate/catalog/v1/directory.proto

import type { SealedSecret as _tollgate_catalog_v1_SealedSecret, SealedSecret__Output as _tollgate_catalog_v1_SealedSecret__Output } from '../../../tollgate/catalog/v1/SealedSecret';
import type { Long } from '@grpc/proto-loader';

/**
 * The secret is sealed: AES-256-GCM under the key-encryption key that both ends hold.
 */
export interface Connection {
  'providerId'?: (string);
  'version'?: (number | string | Long);
  'providerType'?: (string);
  'upstreamFormat'?: (string);
  'baseUrl'?: (string);
  /**
   * Azure
   */
  'apiVersion'?: (string);
  /**
   * extra headers, not secret
   */
  'headers'?: ({[key: string]: string});
  /**
   * total, per attempt
   */
  'timeoutMs'?: (number | string | Long);
  'connectTimeoutMs'?: (number | string | Long);
  'firstByteTimeoutMs'?: (number | string | Long);
  'idleTimeoutMs'?: (number | string | Long);
  /**
   * Active keys, ascending by id. A draining key is only in versions published before; a disabled or
   * deleted key is in none. Empty: the upstream needs no key.
   */
  'secrets'?: (_tollgate_catalog_v1_SealedSecret)[];
  'providerName'?: (string);
  'organisationId'?: (string);
}

/**
 * The secret is sealed: AES-256-GCM under the key-encryption key that both ends hold.
 */
export interface Connection__Output {
  'providerId': (string);
  'version': (number);
  'providerType': (string);
  'upstreamFormat': (string);
  'baseUrl': (string);
  /**
   * Azure
   */
  'apiVersion': (string);
  /**
   * extra headers, not secret
   */
  'headers': ({[key: string]: string});
  /**
   * total, per attempt
   */
  'timeoutMs': (number);
  'connectTimeoutMs': (number);
  'firstByteTimeoutMs': (number);
  'idleTimeoutMs': (number);
  /**
   * Active keys, ascending by id. A draining key is only in versions published before; a disabled or
   * deleted key is in none. Empty: the upstream needs no key.
   */
  'secrets': (_tollgate_catalog_v1_SealedSecret__Output)[];
  'providerName': (string);
  'organisationId': (string);
}
