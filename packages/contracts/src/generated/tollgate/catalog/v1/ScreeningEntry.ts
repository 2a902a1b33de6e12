// Original file: protos/tollgate/catalog/v1/directory.proto

import type { ScreeningAttachment as _tollgate_catalog_v1_ScreeningAttachment, ScreeningAttachment__Output as _tollgate_catalog_v1_ScreeningAttachment__Output } from '../../../tollgate/catalog/v1/ScreeningAttachment';
import type { ScreeningServicePlace as _tollgate_catalog_v1_ScreeningServicePlace, ScreeningServicePlace__Output as _tollgate_catalog_v1_ScreeningServicePlace__Output } from '../../../tollgate/catalog/v1/ScreeningServicePlace';
import type { Long } from '@grpc/proto-loader';

/**
 * A screening policy, and what it is attached to.
 */
export interface ScreeningEntry {
  'policyId'?: (string);
  'version'?: (number | string | Long);
  'attachedTo'?: (_tollgate_catalog_v1_ScreeningAttachment)[];
  /**
   * those that its rules ask, but for code, which runs in the gateway
   */
  'services'?: (_tollgate_catalog_v1_ScreeningServicePlace)[];
}

/**
 * A screening policy, and what it is attached to.
 */
export interface ScreeningEntry__Output {
  'policyId': (string);
  'version': (number);
  'attachedTo': (_tollgate_catalog_v1_ScreeningAttachment__Output)[];
  /**
   * those that its rules ask, but for code, which runs in the gateway
   */
  'services': (_tollgate_catalog_v1_ScreeningServicePlace__Output)[];
}
