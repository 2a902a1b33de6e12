// Original file: protos/tollgate/policy/v1/policy.proto

import type { Long } from '@grpc/proto-loader';

/**
 * What is left of one limit after this decision.
 */
export interface LimitState {
  'limitId'?: (string);
  /**
   * BUDGET, QUOTA, RATE_REQUESTS, RATE_TOKENS, RATE_CONCURRENT
   */
  'kind'?: (string);
  /**
   * quota metric, or COST for a budget
   */
  'metric'?: (string);
  /**
   * ORGANISATION, TEAM, USER, API_KEY, MODEL, MCP_SERVER
   */
  'scopeType'?: (string);
  'scopeId'?: (string);
  /**
   * nano-USD for money, else a count; decimal string
   */
  'limit'?: (string);
  /**
   * empty, like held and remaining: unknown at the moment, not zero
   */
  'settled'?: (string);
  'held'?: (string);
  /**
   * when the window ends; for rates, when the whole limit is free again
   */
  'resetsAtMs'?: (number | string | Long);
  /**
   * HARD, SOFT
   */
  'mode'?: (string);
  /**
   * DAILY … or empty
   */
  'period'?: (string);
  'windowSeconds'?: (number | string | Long);
  /**
   * what is neither settled nor held, at least 0; what is lent to policies is held
   */
  'remaining'?: (string);
  /**
   * Only in a session: the shared part that has the other fields, except settled, held, resets_at_ms and
   * remaining. 0: they are here.
   */
  'sharedId'?: (number);
}

/**
 * What is left of one limit after this decision.
 */
export interface LimitState__Output {
  'limitId': (string);
  /**
   * BUDGET, QUOTA, RATE_REQUESTS, RATE_TOKENS, RATE_CONCURRENT
   */
  'kind': (string);
  /**
   * quota metric, or COST for a budget
   */
  'metric': (string);
  /**
   * ORGANISATION, TEAM, USER, API_KEY, MODEL, MCP_SERVER
   */
  'scopeType': (string);
  'scopeId': (string);
  /**
   * nano-USD for money, else a count; decimal string
   */
  'limit': (string);
  /**
   * empty, like held and remaining: unknown at the moment, not zero
   */
  'settled': (string);
  'held': (string);
  /**
   * when the window ends; for rates, when the whole limit is free again
   */
  'resetsAtMs': (number);
  /**
   * HARD, SOFT
   */
  'mode': (string);
  /**
   * DAILY … or empty
   */
  'period': (string);
  'windowSeconds': (number);
  /**
   * what is neither settled nor held, at least 0; what is lent to policies is held
   */
  'remaining': (string);
  /**
   * Only in a session: the shared part that has the other fields, except settled, held, resets_at_ms and
   * remaining. 0: they are here.
   */
  'sharedId': (number);
}
