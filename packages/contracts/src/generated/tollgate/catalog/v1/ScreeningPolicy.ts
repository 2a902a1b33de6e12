// Original file: protos/tollgate/catalog/v1/directory.proto

import type { ScreeningService as _tollgate_catalog_v1_ScreeningService, ScreeningService__Output as _tollgate_catalog_v1_ScreeningService__Output } from '../../../tollgate/catalog/v1/ScreeningService';
import type { Long } from '@grpc/proto-loader';

export interface ScreeningPolicy {
  'policyId'?: (string);
  'version'?: (number | string | Long);
  'organisationId'?: (string);
  'identifier'?: (string);
  /**
   * an array of rules, as the REST API has them
   */
  'rulesJson'?: (string);
  /**
   * those that the rules ask, as they are now
   */
  'services'?: (_tollgate_catalog_v1_ScreeningService)[];
  /**
   * API keys that the organisation's services authenticate with. Rules that ask services do not apply to
   * their requests, which would ask without end.
   */
  'serviceKeyIds'?: (string)[];
}

export interface ScreeningPolicy__Output {
  'policyId': (string);
  'version': (number);
  'organisationId': (string);
  'identifier': (string);
  /**
   * an array of rules, as the REST API has them
   */
  'rulesJson': (string);
  /**
   * those that the rules ask, as they are now
   */
  'services': (_tollgate_catalog_v1_ScreeningService__Output)[];
  /**
   * API keys that the organisation's services authenticate with. Rules that ask services do not apply to
   * their requests, which would ask without end.
   */
  'serviceKeyIds': (string)[];
}
