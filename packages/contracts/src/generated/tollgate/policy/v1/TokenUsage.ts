// Original file: protos/tollgate/policy/v1/policy.proto

import type { Long } from '@grpc/proto-loader';

/**
 * Tokens by disjoint class. The sum of the input classes is the provider's input count.
 */
export interface TokenUsage {
  /**
   * uncached input that is in no other class
   */
  'input'?: (number | string | Long);
  /**
   * input served from the provider's prompt cache
   */
  'cacheRead'?: (number | string | Long);
  /**
   * input written to a five-minute cache
   */
  'cacheWrite5m'?: (number | string | Long);
  /**
   * input written to a one-hour cache
   */
  'cacheWrite1h'?: (number | string | Long);
  'audioInput'?: (number | string | Long);
  /**
   * includes reasoning
   */
  'output'?: (number | string | Long);
  'audioOutput'?: (number | string | Long);
  /**
   * a sub-count of output, not added again
   */
  'reasoning'?: (number | string | Long);
  /**
   * where the provider counts it apart
   */
  'imageInput'?: (number | string | Long);
  /**
   * likewise
   */
  'imageOutput'?: (number | string | Long);
}

/**
 * Tokens by disjoint class. The sum of the input classes is the provider's input count.
 */
export interface TokenUsage__Output {
  /**
   * uncached input that is in no other class
   */
  'input': (number);
  /**
   * input served from the provider's prompt cache
   */
  'cacheRead': (number);
  /**
   * input written to a five-minute cache
   */
  'cacheWrite5m': (number);
  /**
   * input written to a one-hour cache
   */
  'cacheWrite1h': (number);
  'audioInput': (number);
  /**
   * includes reasoning
   */
  'output': (number);
  'audioOutput': (number);
  /**
   * a sub-count of output, not added again
   */
  'reasoning': (number);
  /**
   * where the provider counts it apart
   */
  'imageInput': (number);
  /**
   * likewise
   */
  'imageOutput': (number);
}
