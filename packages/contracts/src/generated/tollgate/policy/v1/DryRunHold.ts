// Original file: protos/tollgate/policy/v1/policy.proto

import type { Long } from '@grpc/proto-loader';

/**
 * What would be held: the most that the request may use, of its dearest candidate.
 */
export interface DryRunHold {
  'nanoUsd'?: (string);
  /**
   * includes the next two, and results of server tools
   */
  'inputTokens'?: (number | string | Long);
  'audioInputTokens'?: (number | string | Long);
  /**
   * stored tokens that the provider reads again
   */
  'readTokens'?: (number | string | Long);
  /**
   * per answer
   */
  'outputTokens'?: (number | string | Long);
  'choices'?: (number);
  /**
   * billed beside tokens, server tools included
   */
  'units'?: ({[key: string]: number | string | Long});
  /**
   * a budget lowers the output bound
   */
  'clamped'?: (boolean);
  /**
   * Where the output bound comes from: REQUEST, MODEL_DEFAULT, MODEL_MAXIMUM (its context, or its own maximum),
   * GATEWAY (nothing else is known), BUDGET (lowered), EXPECTED (an estimate; it cannot be bounded); empty: the operation has no output in tokens.
   */
  'outputSource'?: (string);
}

/**
 * What would be held: the most that the request may use, of its dearest candidate.
 */
export interface DryRunHold__Output {
  'nanoUsd': (string);
  /**
   * includes the next two, and results of server tools
   */
  'inputTokens': (number);
  'audioInputTokens': (number);
  /**
   * stored tokens that the provider reads again
   */
  'readTokens': (number);
  /**
   * per answer
   */
  'outputTokens': (number);
  'choices': (number);
  /**
   * billed beside tokens, server tools included
   */
  'units': ({[key: string]: number});
  /**
   * a budget lowers the output bound
   */
  'clamped': (boolean);
  /**
   * Where the output bound comes from: REQUEST, MODEL_DEFAULT, MODEL_MAXIMUM (its context, or its own maximum),
   * GATEWAY (nothing else is known), BUDGET (lowered), EXPECTED (an estimate; it cannot be bounded); empty: the operation has no output in tokens.
   */
  'outputSource': (string);
}
