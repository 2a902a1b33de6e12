// Original file: protos/tollgate/catalog/v1/ledger.proto

import type { Long } from '@grpc/proto-loader';

export interface SoftLimitPassed {
  'organisationId'?: (string);
  /**
   * a rate limit's part ends in :rpm, :tpm, :conc
   */
  'limitId'?: (string);
  /**
   * BUDGET, QUOTA, RATE_REQUESTS, RATE_TOKENS, RATE_CONCURRENT
   */
  'kind'?: (string);
  /**
   * COST for a budget, else the quota metric; empty for rates
   */
  'metric'?: (string);
  'scopeType'?: (string);
  'scopeId'?: (string);
  /**
   * of a rate: the hour, so that there is one event per hour
   */
  'windowStartMs'?: (number | string | Long);
  'windowEndMs'?: (number | string | Long);
  /**
   * nano-USD or count, decimal string
   */
  'limit'?: (string);
  /**
   * the counter when it was exceeded
   */
  'settled'?: (string);
  'held'?: (string);
  'atMs'?: (number | string | Long);
  /**
   * the first request of the window that exceeded it; empty: from an earlier release
   */
  'requestId'?: (string);
}

export interface SoftLimitPassed__Output {
  'organisationId': (string);
  /**
   * a rate limit's part ends in :rpm, :tpm, :conc
   */
  'limitId': (string);
  /**
   * BUDGET, QUOTA, RATE_REQUESTS, RATE_TOKENS, RATE_CONCURRENT
   */
  'kind': (string);
  /**
   * COST for a budget, else the quota metric; empty for rates
   */
  'metric': (string);
  'scopeType': (string);
  'scopeId': (string);
  /**
   * of a rate: the hour, so that there is one event per hour
   */
  'windowStartMs': (number);
  'windowEndMs': (number);
  /**
   * nano-USD or count, decimal string
   */
  'limit': (string);
  /**
   * the counter when it was exceeded
   */
  'settled': (string);
  'held': (string);
  'atMs': (number);
  /**
   * the first request of the window that exceeded it; empty: from an earlier release
   */
  'requestId': (string);
}
