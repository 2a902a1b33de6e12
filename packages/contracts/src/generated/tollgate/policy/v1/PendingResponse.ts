// Original file: protos/tollgate/policy/v1/policy.proto

import type { Price as _tollgate_policy_v1_Price, Price__Output as _tollgate_policy_v1_Price__Output } from '../../../tollgate/policy/v1/Price';
import type { Long } from '@grpc/proto-loader';

/**
 * A response that its provider generates in the background. Its request still holds its maximum cost,
 * or was charged in full when its edge went away. Whoever sees how it ended settles that request.
 */
export interface PendingResponse {
  'requestId'?: (string);
  'holdToken'?: (Buffer | Uint8Array | string);
  'modelId'?: (string);
  'providerId'?: (string);
  /**
   * at the authorise instant
   */
  'price'?: (_tollgate_policy_v1_Price | null);
  'inputTokensEstimate'?: (number | string | Long);
  /**
   * The next three are of the settle of its request.
   */
  'conversationId'?: (string);
  'addedTokens'?: (number | string | Long);
  'readTokens'?: (number | string | Long);
  /**
   * of the connection that it was sent to; empty: unknown
   */
  'region'?: (string);
  /**
   * of the settle of its request, too
   */
  'assumedTokens'?: (number | string | Long);
  /**
   * what earlier attempts of its request cost; empty: nothing
   */
  'earlierNanoUsd'?: (string);
}

/**
 * A response that its provider generates in the background. Its request still holds its maximum cost,
 * or was charged in full when its edge went away. Whoever sees how it ended settles that request.
 */
export interface PendingResponse__Output {
  'requestId': (string);
  'holdToken': (Buffer);
  'modelId': (string);
  'providerId': (string);
  /**
   * at the authorise instant
   */
  'price': (_tollgate_policy_v1_Price__Output | null);
  'inputTokensEstimate': (number);
  /**
   * The next three are of the settle of its request.
   */
  'conversationId': (string);
  'addedTokens': (number);
  'readTokens': (number);
  /**
   * of the connection that it was sent to; empty: unknown
   */
  'region': (string);
  /**
   * of the settle of its request, too
   */
  'assumedTokens': (number);
  /**
   * what earlier attempts of its request cost; empty: nothing
   */
  'earlierNanoUsd': (string);
}
