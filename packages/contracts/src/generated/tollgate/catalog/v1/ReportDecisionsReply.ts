// Original file: protos/tollgate/catalog/v1/ledger.proto

import type { Long } from '@grpc/proto-loader';

export interface ReportDecisionsReply {
  /**
   * those that are new
   */
  'stored'?: (number);
  /**
   * Organisations that keep no more until `full_until_ms`: what is reported of them is only counted.
   */
  'fullOrganisationIds'?: (string)[];
  'fullUntilMs'?: (number | string | Long);
  /**
   * those that were over the most of a day
   */
  'dayFull'?: (number);
  /**
   * those that cannot be stored
   */
  'failed'?: (number);
}

export interface ReportDecisionsReply__Output {
  /**
   * those that are new
   */
  'stored': (number);
  /**
   * Organisations that keep no more until `full_until_ms`: what is reported of them is only counted.
   */
  'fullOrganisationIds': (string)[];
  'fullUntilMs': (number);
  /**
   * those that were over the most of a day
   */
  'dayFull': (number);
  /**
   * those that cannot be stored
   */
  'failed': (number);
}
