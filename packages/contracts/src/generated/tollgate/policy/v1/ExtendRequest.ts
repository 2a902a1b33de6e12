// Original file: protos/tollgate/policy/v1/policy.proto

import type { Long } from '@grpc/proto-loader';

export interface ExtendRequest {
  'requestId'?: (string);
  'holdToken'?: (Buffer | Uint8Array | string);
  /**
   * the candidate that is being streamed
   */
  'modelId'?: (string);
  /**
   * per answer; 0: only renew the lease
   */
  'addOutputTokens'?: (number | string | Long);
  /**
   * after data loss: take the whole hold again
   */
  'adopt'?: (boolean);
  /**
   * For a further attempt beside or after one that may be billed: its own input and cost. The cost
   * replaces the price of add_output_tokens.
   */
  'addInputTokens'?: (number | string | Long);
  /**
   * decimal string; empty: the price of add_output_tokens
   */
  'addNanoUsd'?: (string);
  /**
   * The provider's id of an answer that it continues in the background: requests about it get this hold
   * (Allow.pending) until it is settled.
   */
  'responseId'?: (string);
  /**
   * With response_id: what the settle of this request will name, for whoever settles it.
   */
  'conversationId'?: (string);
  'addedTokens'?: (number | string | Long);
  'readTokens'?: (number | string | Long);
  /**
   * Candidate.service_tier of model_id
   */
  'serviceTier'?: (string);
  /**
   * With response_id, as well:
   */
  'assumedTokens'?: (number | string | Long);
  /**
   * what earlier attempts cost, which the settle adds; empty: nothing
   */
  'earlierNanoUsd'?: (string);
}

export interface ExtendRequest__Output {
  'requestId': (string);
  'holdToken': (Buffer);
  /**
   * the candidate that is being streamed
   */
  'modelId': (string);
  /**
   * per answer; 0: only renew the lease
   */
  'addOutputTokens': (number);
  /**
   * after data loss: take the whole hold again
   */
  'adopt': (boolean);
  /**
   * For a further attempt beside or after one that may be billed: its own input and cost. The cost
   * replaces the price of add_output_tokens.
   */
  'addInputTokens': (number);
  /**
   * decimal string; empty: the price of add_output_tokens
   */
  'addNanoUsd': (string);
  /**
   * The provider's id of an answer that it continues in the background: requests about it get this hold
   * (Allow.pending) until it is settled.
   */
  'responseId': (string);
  /**
   * With response_id: what the settle of this request will name, for whoever settles it.
   */
  'conversationId': (string);
  'addedTokens': (number);
  'readTokens': (number);
  /**
   * Candidate.service_tier of model_id
   */
  'serviceTier': (string);
  /**
   * With response_id, as well:
   */
  'assumedTokens': (number);
  /**
   * what earlier attempts cost, which the settle adds; empty: nothing
   */
  'earlierNanoUsd': (string);
}
