// Original file: protos/tollgate/catalog/v1/directory.proto

import type { Long } from '@grpc/proto-loader';

export interface Limit {
  /**
   * the row's id; a rate limit's parts end in :rpm, :tpm, :conc
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
   * DAILY, WEEKLY, MONTHLY, QUARTERLY, LIFETIME or empty
   */
  'period'?: (string);
  /**
   * instead of a period; 0: none
   */
  'windowSeconds'?: (number | string | Long);
  /**
   * nano-USD or count, decimal string
   */
  'limit'?: (string);
  /**
   * HARD, SOFT
   */
  'mode'?: (string);
  /**
   * clampToBudget
   */
  'clamp'?: (boolean);
}

export interface Limit__Output {
  /**
   * the row's id; a rate limit's parts end in :rpm, :tpm, :conc
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
   * DAILY, WEEKLY, MONTHLY, QUARTERLY, LIFETIME or empty
   */
  'period': (string);
  /**
   * instead of a period; 0: none
   */
  'windowSeconds': (number);
  /**
   * nano-USD or count, decimal string
   */
  'limit': (string);
  /**
   * HARD, SOFT
   */
  'mode': (string);
  /**
   * clampToBudget
   */
  'clamp': (boolean);
}
