// Original file: protos/tollgate/policy/v1/policy.proto

import type { Long } from '@grpc/proto-loader';

/**
 * How a key uses the response cache. The edge decides with it whether an answer may come from there.
 */
export interface ResponseCache {
  /**
   * ON, ON_REQUEST
   */
  'mode'?: (string);
  /**
   * the longest that an answer is used
   */
  'ttlSeconds'?: (number | string | Long);
  /**
   * of what the answer costs at today's price; 0: free
   */
  'pricePercent'?: (number);
  /**
   * raised when all answers of the organisation are deleted
   */
  'generation'?: (number | string | Long);
}

/**
 * How a key uses the response cache. The edge decides with it whether an answer may come from there.
 */
export interface ResponseCache__Output {
  /**
   * ON, ON_REQUEST
   */
  'mode': (string);
  /**
   * the longest that an answer is used
   */
  'ttlSeconds': (number);
  /**
   * of what the answer costs at today's price; 0: free
   */
  'pricePercent': (number);
  /**
   * raised when all answers of the organisation are deleted
   */
  'generation': (number);
}
