// Original file: protos/tollgate/policy/v1/policy.proto

import type { Price as _tollgate_policy_v1_Price, Price__Output as _tollgate_policy_v1_Price__Output } from '../../../tollgate/policy/v1/Price';
import type { AttemptTimeouts as _tollgate_policy_v1_AttemptTimeouts, AttemptTimeouts__Output as _tollgate_policy_v1_AttemptTimeouts__Output } from '../../../tollgate/policy/v1/AttemptTimeouts';
import type { Long } from '@grpc/proto-loader';

export interface Candidate {
  'modelId'?: (string);
  /**
   * the organisation's name for it
   */
  'modelName'?: (string);
  /**
   * the name sent upstream
   */
  'upstreamModel'?: (string);
  'modelType'?: (string);
  'providerId'?: (string);
  /**
   * PROVIDER_A …
   */
  'providerType'?: (string);
  /**
   * provider_a …
   */
  'providerLabel'?: (string);
  /**
   * openai, anthropic, gemini, vllm
   */
  'upstreamFormat'?: (string);
  'connectionVersion'?: (number | string | Long);
  'price'?: (_tollgate_policy_v1_Price | null);
  'contextTokens'?: (number | string | Long);
  'defaultMaxOutputTokens'?: (number | string | Long);
  /**
   * the held output bound, sent upstream; 0: not applicable
   */
  'maxOutputTokens'?: (number | string | Long);
  /**
   * the hold covers less than max_output_tokens: extend it ahead of need
   */
  'outputInSteps'?: (boolean);
  /**
   * the part that the first hold covers
   */
  'heldOutputTokens'?: (number | string | Long);
  /**
   * The next three fields are set only with a routing policy (Allow.routing).
   */
  'estimateNanoUsd'?: (string);
  'timeouts'?: (_tollgate_policy_v1_AttemptTimeouts | null);
  /**
   * its breaker is half open and only this request may try it
   */
  'probe'?: (boolean);
  /**
   * The held bound of server tools that the request does not bound, sent upstream where the format has a
   * field for it. 0: the request has no such tool.
   */
  'maxToolCalls'?: (number | string | Long);
  /**
   * max_output_tokens is the model's own maximum, which its provider knows: it need not be sent.
   */
  'outputBoundUnsent'?: (boolean);
  /**
   * what one extension adds per answer; 0: sent by an older policy
   */
  'outputStepTokens'?: (number | string | Long);
  /**
   * its provider declares that it has the Responses API
   */
  'nativeResponses'?: (boolean);
  /**
   * Only in a session: the shared part that has the fields from model_id to upstream_format, price,
   * context_tokens, default_max_output_tokens, native_responses and region. 0: they are here.
   */
  'sharedId'?: (number);
  /**
   * of the provider's connection, at connection_version; empty: unknown
   */
  'region'?: (string);
  /**
   * Names of the tiers that this candidate is asked for, separated by a comma and a space: its answer is charged at
   * them unless it reports others. Empty: standard processing.
   */
  'serviceTier'?: (string);
}

export interface Candidate__Output {
  'modelId': (string);
  /**
   * the organisation's name for it
   */
  'modelName': (string);
  /**
   * the name sent upstream
   */
  'upstreamModel': (string);
  'modelType': (string);
  'providerId': (string);
  /**
   * PROVIDER_A …
   */
  'providerType': (string);
  /**
   * provider_a …
   */
  'providerLabel': (string);
  /**
   * openai, anthropic, gemini, vllm
   */
  'upstreamFormat': (string);
  'connectionVersion': (number);
  'price': (_tollgate_policy_v1_Price__Output | null);
  'contextTokens': (number);
  'defaultMaxOutputTokens': (number);
  /**
   * the held output bound, sent upstream; 0: not applicable
   */
  'maxOutputTokens': (number);
  /**
   * the hold covers less than max_output_tokens: extend it ahead of need
   */
  'outputInSteps': (boolean);
  /**
   * the part that the first hold covers
   */
  'heldOutputTokens': (number);
  /**
   * The next three fields are set only with a routing policy (Allow.routing).
   */
  'estimateNanoUsd': (string);
  'timeouts': (_tollgate_policy_v1_AttemptTimeouts__Output | null);
  /**
   * its breaker is half open and only this request may try it
   */
  'probe': (boolean);
  /**
   * The held bound of server tools that the request does not bound, sent upstream where the format has a
   * field for it. 0: the request has no such tool.
   */
  'maxToolCalls': (number);
  /**
   * max_output_tokens is the model's own maximum, which its provider knows: it need not be sent.
   */
  'outputBoundUnsent': (boolean);
  /**
   * what one extension adds per answer; 0: sent by an older policy
   */
  'outputStepTokens': (number);
  /**
   * its provider declares that it has the Responses API
   */
  'nativeResponses': (boolean);
  /**
   * Only in a session: the shared part that has the fields from model_id to upstream_format, price,
   * context_tokens, default_max_output_tokens, native_responses and region. 0: they are here.
   */
  'sharedId': (number);
  /**
   * of the provider's connection, at connection_version; empty: unknown
   */
  'region': (string);
  /**
   * Names of the tiers that this candidate is asked for, separated by a comma and a space: its answer is charged at
   * them unless it reports others. Empty: standard processing.
   */
  'serviceTier': (string);
}
