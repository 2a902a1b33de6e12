// Original file: protos/tollgate/policy/v1/policy.proto

import type { TokenUsage as _tollgate_policy_v1_TokenUsage, TokenUsage__Output as _tollgate_policy_v1_TokenUsage__Output } from '../../../tollgate/policy/v1/TokenUsage';
import type { Attempt as _tollgate_policy_v1_Attempt, Attempt__Output as _tollgate_policy_v1_Attempt__Output } from '../../../tollgate/policy/v1/Attempt';
import type { McpResult as _tollgate_policy_v1_McpResult, McpResult__Output as _tollgate_policy_v1_McpResult__Output } from '../../../tollgate/policy/v1/McpResult';
import type { Long } from '@grpc/proto-loader';

export interface SettleRequest {
  'requestId'?: (string);
  'holdToken'?: (Buffer | Uint8Array | string);
  /**
   * the upstream never billed; everything is released
   */
  'cancelled'?: (boolean);
  /**
   * COMPLETED, PARTIAL, FAILED, BUDGET_STOPPED, CLIENT_CLOSED
   */
  'outcome'?: (string);
  /**
   * sum over all billed attempts
   */
  'usage'?: (_tollgate_policy_v1_TokenUsage | null);
  /**
   * billable units beside tokens, decimal strings
   */
  'units'?: ({[key: string]: string});
  /**
   * EXACT, ESTIMATED, UNKNOWN
   */
  'usageQuality'?: (string);
  /**
   * sum over all attempts, each at its candidate's price at the authorise instant
   */
  'costNanoUsd'?: (string);
  /**
   * the candidate that answered, else the first
   */
  'modelId'?: (string);
  'providerId'?: (string);
  'priceId'?: (string);
  /**
   * status of the client's answer
   */
  'httpStatus'?: (number);
  /**
   * empty on success
   */
  'errorCode'?: (string);
  'latencyMs'?: (number | string | Long);
  /**
   * 0: there was none
   */
  'firstTokenMs'?: (number | string | Long);
  /**
   * sum over attempts
   */
  'upstreamMs'?: (number | string | Long);
  'stopReason'?: (string);
  'stream'?: (boolean);
  'upstreamRequestId'?: (string);
  /**
   * the provider's response id, where a follow-up must use the same connection
   */
  'responseId'?: (string);
  'attempts'?: (_tollgate_policy_v1_Attempt)[];
  /**
   * Tokens that this request's own input adds to what a follow-up reads again; its output is added by
   * policy.
   */
  'addedTokens'?: (number | string | Long);
  /**
   * the conversation that this request adds to; empty: none
   */
  'conversationId'?: (string);
  /**
   * Allow.read_tokens
   */
  'readTokens'?: (number | string | Long);
  /**
   * ids of the output items of response_id, for requests that refer to them; at most 64
   */
  'itemIds'?: (string)[];
  /**
   * of the operations mcp_call and mcp_request
   */
  'mcp'?: (_tollgate_policy_v1_McpResult | null);
  /**
   * what screening rules found, as in the header x-tollgate-screening; empty: nothing
   */
  'screening'?: (string);
  /**
   * `key:value`, separated by a comma and a space, sorted by key; empty: none
   */
  'tags'?: (string);
  /**
   * of the trace that the request belongs to, 32 hexadecimal digits; empty: none
   */
  'traceId'?: (string);
  /**
   * The span that handed the settle over, 16 hexadecimal digits; the catalog's span is its child. Only of
   * requests that are traced; empty: the catalog makes no span.
   */
  'spanId'?: (string);
  /**
   * Allow.attribution; empty: unknown
   */
  'endUser'?: (string);
  /**
   * Allow.attribution; empty: none
   */
  'session'?: (string);
  /**
   * What a coding agent says of itself, within its session. Texts of at most 128 characters; empty: unknown.
   */
  'agentId'?: (string);
  'parentAgentId'?: (string);
  /**
   * of the request, such as main, subagent, compaction, auxiliary
   */
  'agentClass'?: (string);
  /**
   * of the agent, such as general-purpose
   */
  'agentType'?: (string);
  /**
   * Distinct regions of all attempts, sorted, separated by a comma and a space: names, and `unknown` for an
   * attempt without a region; `none`: no upstream was called. Empty: sent by an earlier release.
   */
  'regions'?: (string);
  /**
   * The name that the client asked for: an alias, a routing policy, or a model that another one answered for. Empty: the
   * name of the model that answered, or none was given.
   */
  'requestedModel'?: (string);
  /**
   * HIT: the answer came from the response cache; MISS: it was looked for there; BYPASS: the key has the cache, and
   * this request did not use it. Empty: the key has no cache.
   */
  'responseCache'?: (string);
  /**
   * of a HIT: the cost of the same answer from its provider at today's price
   */
  'cachedCostNanoUsd'?: (string);
  /**
   * of a HIT: how long the answer had been kept
   */
  'cachedAgeSeconds'?: (number | string | Long);
  /**
   * of a passthrough request: bytes of its body; of other requests 0
   */
  'requestBytes'?: (number | string | Long);
  /**
   * of its answer, as they are paid for
   */
  'responseBytes'?: (number | string | Long);
  /**
   * Allow.experiment; empty: none
   */
  'experimentId'?: (string);
  /**
   * the assigned arm, even if another model answered after a failure; `shadow`
   */
  'experimentArm'?: (string);
  /**
   * of a shadow: the id of the request that it repeats; empty: it is none
   */
  'shadowOf'?: (string);
  /**
   * What the answer would have cost at the price of Routing.first_model_id. Empty: not routed, nothing answered, or
   * the price is unknown.
   */
  'firstChoiceCostNanoUsd'?: (string);
  /**
   * Routing.policy_id; empty: not routed
   */
  'routingPolicyId'?: (string);
  /**
   * The tiers that the answer was charged at, as Candidate.service_tier: those that it reports, else those asked for.
   */
  'serviceTier'?: (string);
  /**
   * Allow.added_tokens: the conversation counts them already
   */
  'assumedTokens'?: (number | string | Long);
}

export interface SettleRequest__Output {
  'requestId': (string);
  'holdToken': (Buffer);
  /**
   * the upstream never billed; everything is released
   */
  'cancelled': (boolean);
  /**
   * COMPLETED, PARTIAL, FAILED, BUDGET_STOPPED, CLIENT_CLOSED
   */
  'outcome': (string);
  /**
   * sum over all billed attempts
   */
  'usage': (_tollgate_policy_v1_TokenUsage__Output | null);
  /**
   * billable units beside tokens, decimal strings
   */
  'units': ({[key: string]: string});
  /**
   * EXACT, ESTIMATED, UNKNOWN
   */
  'usageQuality': (string);
  /**
   * sum over all attempts, each at its candidate's price at the authorise instant
   */
  'costNanoUsd': (string);
  /**
   * the candidate that answered, else the first
   */
  'modelId': (string);
  'providerId': (string);
  'priceId': (string);
  /**
   * status of the client's answer
   */
  'httpStatus': (number);
  /**
   * empty on success
   */
  'errorCode': (string);
  'latencyMs': (number);
  /**
   * 0: there was none
   */
  'firstTokenMs': (number);
  /**
   * sum over attempts
   */
  'upstreamMs': (number);
  'stopReason': (string);
  'stream': (boolean);
  'upstreamRequestId': (string);
  /**
   * the provider's response id, where a follow-up must use the same connection
   */
  'responseId': (string);
  'attempts': (_tollgate_policy_v1_Attempt__Output)[];
  /**
   * Tokens that this request's own input adds to what a follow-up reads again; its output is added by
   * policy.
   */
  'addedTokens': (number);
  /**
   * the conversation that this request adds to; empty: none
   */
  'conversationId': (string);
  /**
   * Allow.read_tokens
   */
  'readTokens': (number);
  /**
   * ids of the output items of response_id, for requests that refer to them; at most 64
   */
  'itemIds': (string)[];
  /**
   * of the operations mcp_call and mcp_request
   */
  'mcp': (_tollgate_policy_v1_McpResult__Output | null);
  /**
   * what screening rules found, as in the header x-tollgate-screening; empty: nothing
   */
  'screening': (string);
  /**
   * `key:value`, separated by a comma and a space, sorted by key; empty: none
   */
  'tags': (string);
  /**
   * of the trace that the request belongs to, 32 hexadecimal digits; empty: none
   */
  'traceId': (string);
  /**
   * The span that handed the settle over, 16 hexadecimal digits; the catalog's span is its child. Only of
   * requests that are traced; empty: the catalog makes no span.
   */
  'spanId': (string);
  /**
   * Allow.attribution; empty: unknown
   */
  'endUser': (string);
  /**
   * Allow.attribution; empty: none
   */
  'session': (string);
  /**
   * What a coding agent says of itself, within its session. Texts of at most 128 characters; empty: unknown.
   */
  'agentId': (string);
  'parentAgentId': (string);
  /**
   * of the request, such as main, subagent, compaction, auxiliary
   */
  'agentClass': (string);
  /**
   * of the agent, such as general-purpose
   */
  'agentType': (string);
  /**
   * Distinct regions of all attempts, sorted, separated by a comma and a space: names, and `unknown` for an
   * attempt without a region; `none`: no upstream was called. Empty: sent by an earlier release.
   */
  'regions': (string);
  /**
   * The name that the client asked for: an alias, a routing policy, or a model that another one answered for. Empty: the
   * name of the model that answered, or none was given.
   */
  'requestedModel': (string);
  /**
   * HIT: the answer came from the response cache; MISS: it was looked for there; BYPASS: the key has the cache, and
   * this request did not use it. Empty: the key has no cache.
   */
  'responseCache': (string);
  /**
   * of a HIT: the cost of the same answer from its provider at today's price
   */
  'cachedCostNanoUsd': (string);
  /**
   * of a HIT: how long the answer had been kept
   */
  'cachedAgeSeconds': (number);
  /**
   * of a passthrough request: bytes of its body; of other requests 0
   */
  'requestBytes': (number);
  /**
   * of its answer, as they are paid for
   */
  'responseBytes': (number);
  /**
   * Allow.experiment; empty: none
   */
  'experimentId': (string);
  /**
   * the assigned arm, even if another model answered after a failure; `shadow`
   */
  'experimentArm': (string);
  /**
   * of a shadow: the id of the request that it repeats; empty: it is none
   */
  'shadowOf': (string);
  /**
   * What the answer would have cost at the price of Routing.first_model_id. Empty: not routed, nothing answered, or
   * the price is unknown.
   */
  'firstChoiceCostNanoUsd': (string);
  /**
   * Routing.policy_id; empty: not routed
   */
  'routingPolicyId': (string);
  /**
   * The tiers that the answer was charged at, as Candidate.service_tier: those that it reports, else those asked for.
   */
  'serviceTier': (string);
  /**
   * Allow.added_tokens: the conversation counts them already
   */
  'assumedTokens': (number);
}
