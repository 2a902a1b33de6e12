// Original file: protos/tollgate/policy/v1/policy.proto

import type { Long } from '@grpc/proto-loader';

/**
 * A step of a model's price list: it applies while the input (all input classes together) is at
 * least from_input_tokens. All prices are nano-USD per million tokens, as decimal strings.
 */
export interface PriceStep {
  'fromInputTokens'?: (number | string | Long);
  'input'?: (string);
  'cacheRead'?: (string);
  'cacheWrite5m'?: (string);
  'cacheWrite1h'?: (string);
  'audioInput'?: (string);
  'output'?: (string);
  'audioOutput'?: (string);
  /**
   * absent, as every class but input and output: the price of its kind
   */
  'imageInput'?: (string);
  'imageOutput'?: (string);
}

/**
 * A step of a model's price list: it applies while the input (all input classes together) is at
 * least from_input_tokens. All prices are nano-USD per million tokens, as decimal strings.
 */
export interface PriceStep__Output {
  'fromInputTokens': (number);
  'input': (string);
  'cacheRead': (string);
  'cacheWrite5m': (string);
  'cacheWrite1h': (string);
  'audioInput': (string);
  'output': (string);
  'audioOutput': (string);
  /**
   * absent, as every class but input and output: the price of its kind
   */
  'imageInput': (string);
  'imageOutput': (string);
}
