// Original file: protos/tollgate/catalog/v1/ledger.proto

import type { HoldCounter as _tollgate_catalog_v1_HoldCounter, HoldCounter__Output as _tollgate_catalog_v1_HoldCounter__Output } from '../../../tollgate/catalog/v1/HoldCounter';
import type { Long } from '@grpc/proto-loader';

export interface HoldState {
  'requestId'?: (string);
  'organisationId'?: (string);
  'teamId'?: (string);
  'userId'?: (string);
  'apiKeyId'?: (string);
  'modelId'?: (string);
  /**
   * HELD, SETTLED, CANCELLED, ABANDONED
   */
  'state'?: (string);
  'authorisedAtMs'?: (number | string | Long);
  'leaseUntilMs'?: (number | string | Long);
  /**
   * 0 while held
   */
  'endedAtMs'?: (number | string | Long);
  'counters'?: (_tollgate_catalog_v1_HoldCounter)[];
  /**
   * later reports win
   */
  'version'?: (number | string | Long);
}

export interface HoldState__Output {
  'requestId': (string);
  'organisationId': (string);
  'teamId': (string);
  'userId': (string);
  'apiKeyId': (string);
  'modelId': (string);
  /**
   * HELD, SETTLED, CANCELLED, ABANDONED
   */
  'state': (string);
  'authorisedAtMs': (number);
  'leaseUntilMs': (number);
  /**
   * 0 while held
   */
  'endedAtMs': (number);
  'counters': (_tollgate_catalog_v1_HoldCounter__Output)[];
  /**
   * later reports win
   */
  'version': (number);
}
