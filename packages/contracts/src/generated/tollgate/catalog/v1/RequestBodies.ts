// Original file: protos/tollgate/catalog/v1/ledger.proto

import type { BodyText as _tollgate_catalog_v1_BodyText, BodyText__Output as _tollgate_catalog_v1_BodyText__Output } from '../../../tollgate/catalog/v1/BodyText';
import type { MaskedTexts as _tollgate_catalog_v1_MaskedTexts, MaskedTexts__Output as _tollgate_catalog_v1_MaskedTexts__Output } from '../../../tollgate/catalog/v1/MaskedTexts';
import type { Long } from '@grpc/proto-loader';

/**
 * The bodies of one request, masked by the edge.
 */
export interface RequestBodies {
  'requestId'?: (string);
  'organisationId'?: (string);
  /**
   * when the request arrived
   */
  'atMs'?: (number | string | Long);
  /**
   * absent: not wanted
   */
  'request'?: (_tollgate_catalog_v1_BodyText | null);
  /**
   * absent: not wanted
   */
  'answer'?: (_tollgate_catalog_v1_BodyText | null);
  'masked'?: (_tollgate_catalog_v1_MaskedTexts)[];
}

/**
 * The bodies of one request, masked by the edge.
 */
export interface RequestBodies__Output {
  'requestId': (string);
  'organisationId': (string);
  /**
   * when the request arrived
   */
  'atMs': (number);
  /**
   * absent: not wanted
   */
  'request': (_tollgate_catalog_v1_BodyText__Output | null);
  /**
   * absent: not wanted
   */
  'answer': (_tollgate_catalog_v1_BodyText__Output | null);
  'masked': (_tollgate_catalog_v1_MaskedTexts__Output)[];
}
