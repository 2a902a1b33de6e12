// Original file: protos/tollgate/policy/v1/policy.proto

import type { ServerTool as _tollgate_policy_v1_ServerTool, ServerTool__Output as _tollgate_policy_v1_ServerTool__Output } from '../../../tollgate/policy/v1/ServerTool';
import type { McpCall as _tollgate_policy_v1_McpCall, McpCall__Output as _tollgate_policy_v1_McpCall__Output } from '../../../tollgate/policy/v1/McpCall';
import type { ClaimedAttribution as _tollgate_policy_v1_ClaimedAttribution, ClaimedAttribution__Output as _tollgate_policy_v1_ClaimedAttribution__Output } from '../../../tollgate/policy/v1/ClaimedAttribution';
import type { PassthroughCall as _tollgate_policy_v1_PassthroughCall, PassthroughCall__Output as _tollgate_policy_v1_PassthroughCall__Output } from '../../../tollgate/policy/v1/PassthroughCall';
import type { ServiceTier as _tollgate_policy_v1_ServiceTier, ServiceTier__Output as _tollgate_policy_v1_ServiceTier__Output } from '../../../tollgate/policy/v1/ServiceTier';
import type { Long } from '@grpc/proto-loader';

export interface AuthorizeRequest {
  /**
   * UUIDv7 made by the caller; also the id of the usage record
   */
  'requestId'?: (string);
  /**
   * 32 bytes; the key itself never travels
   */
  'keySha256'?: (Buffer | Uint8Array | string);
  /**
   * as the client named it
   */
  'model'?: (string);
  /**
   * chat, completions, embeddings, …: the contracts' operation tables
   */
  'operation'?: (string);
  /**
   * wire label or real name from the vendor table; empty: none
   */
  'providerPin'?: (string);
  /**
   * the route's family; empty: any
   */
  'allowedProviderTypes'?: (string)[];
  'inputTokensEstimate'?: (number | string | Long);
  /**
   * the client's own bound; 0: none
   */
  'maxOutputTokens'?: (number | string | Long);
  /**
   * how many answers are generated; 0 counts as 1
   */
  'choices'?: (number);
  'stream'?: (boolean);
  /**
   * the caller's own id, kept for search, never used as a key
   */
  'clientRequestId'?: (string);
  /**
   * Capabilities that the request needs, comma-separated: tools, vision, audio. Empty for plain text. Only
   * routing uses it: candidates known to lack one are left out.
   */
  'requiredCapabilities'?: (string);
  /**
   * billable units known before the call, by unit name
   */
  'unitsEstimate'?: ({[key: string]: number | string | Long});
  /**
   * path template, for the record
   */
  'route'?: (string);
  /**
   * openai, anthropic, gemini, vllm, unified: which providers may serve it
   */
  'family'?: (string);
  /**
   * id of the response that this request continues; empty: none
   */
  'previousResponseId'?: (string);
  /**
   * included in input_tokens_estimate; held at the audio price
   */
  'audioInputTokensEstimate'?: (number | string | Long);
  /**
   * no audio output is requested: output is held at the price of text or of images
   */
  'textOutput'?: (boolean);
  /**
   * tools that the provider runs by itself; at most 128
   */
  'serverTools'?: (_tollgate_policy_v1_ServerTool)[];
  /**
   * id of the conversation that this request continues; empty: none
   */
  'conversationId'?: (string);
  /**
   * id of the stored response or conversation that the operation is about; empty: none
   */
  'storedId'?: (string);
  /**
   * Ids of stored output items that the input refers to. Each must belong to the key's owner. At most 1024.
   */
  'itemIds'?: (string)[];
  /**
   * Ids of items that the input sends with content that only the provider may complete by the id. One that
   * belongs to another owner is refused; an unknown one is not. At most 1024.
   */
  'replayedItemIds'?: (string)[];
  /**
   * Only for the operations mcp_call and mcp_request; model, provider_pin and the estimates are empty then.
   */
  'mcp'?: (_tollgate_policy_v1_McpCall | null);
  /**
   * The caller has asked over another session for the same request before, so only the store knows what became
   * of it. Policy then decides exactly, never from a float.
   */
  'resent'?: (boolean);
  /**
   * The span that waits for the decision: 16 bytes of trace id, 8 of span id, one of flags. Only of requests
   * that are traced; empty: policy makes no span.
   */
  'trace'?: (Buffer | Uint8Array | string);
  /**
   * The conversation that the request belongs to, within its API key: 8 bytes of a hash. Its turns prefer the
   * same candidate. Empty: none, and candidates take turns.
   */
  'affinity'?: (Buffer | Uint8Array | string);
  /**
   * Whom the client names as the one behind the request. Allow.attribution says what of it counts. Absent: nobody.
   */
  'claimed'?: (_tollgate_policy_v1_ClaimedAttribution | null);
  /**
   * The client has replaced the beginning of the conversation, so nothing cached of it is of use. A conversation
   * that was moved from its first candidate goes back.
   */
  'contextCompacted'?: (boolean);
  /**
   * Only for the operation passthrough; model, provider_pin and the estimates are empty then.
   */
  'passthrough'?: (_tollgate_policy_v1_PassthroughCall | null);
  /**
   * As affinity, also of prompts that are too short to be cached, and where affinity is switched off. Experiments
   * assign an arm by it. Empty: affinity says it, or the request belongs to no conversation.
   */
  'conversation'?: (Buffer | Uint8Array | string);
  /**
   * The request is the shadow of another one: its id, and the experiment of Allow.shadow. The model is that of the
   * shadow, `model` is empty, and the limits are those of the shadow instead of the key's. Empty: it is no shadow.
   */
  'shadowOf'?: (string);
  'shadowExperimentId'?: (string);
  /**
   * With affinity: the prompt has an answer of an earlier turn, so it may be cached at the conversation's place.
   */
  'conversationContinues'?: (boolean);
  /**
   * Tiers other than standard processing that the request asks for; at most 8.
   */
  'serviceTiers'?: (_tollgate_policy_v1_ServiceTier)[];
  /**
   * Output tokens of one answer whose number follows from the request, such as of an image's size and quality, and
   * cannot be bounded. 0: unknown, or the output is bounded.
   */
  'outputTokensEstimate'?: (number | string | Long);
  /**
   * Tokens that the request adds to the conversation of conversation_id, or of stored_id, before any answer: its follow-ups
   * read them from then on. 0: none.
   */
  'addedTokens'?: (number | string | Long);
}

export interface AuthorizeRequest__Output {
  /**
   * UUIDv7 made by the caller; also the id of the usage record
   */
  'requestId': (string);
  /**
   * 32 bytes; the key itself never travels
   */
  'keySha256': (Buffer);
  /**
   * as the client named it
   */
  'model': (string);
  /**
   * chat, completions, embeddings, …: the contracts' operation tables
   */
  'operation': (string);
  /**
   * wire label or real name from the vendor table; empty: none
   */
  'providerPin': (string);
  /**
   * the route's family; empty: any
   */
  'allowedProviderTypes': (string)[];
  'inputTokensEstimate': (number);
  /**
   * the client's own bound; 0: none
   */
  'maxOutputTokens': (number);
  /**
   * how many answers are generated; 0 counts as 1
   */
  'choices': (number);
  'stream': (boolean);
  /**
   * the caller's own id, kept for search, never used as a key
   */
  'clientRequestId': (string);
  /**
   * Capabilities that the request needs, comma-separated: tools, vision, audio. Empty for plain text. Only
   * routing uses it: candidates known to lack one are left out.
   */
  'requiredCapabilities': (string);
  /**
   * billable units known before the call, by unit name
   */
  'unitsEstimate': ({[key: string]: number});
  /**
   * path template, for the record
   */
  'route': (string);
  /**
   * openai, anthropic, gemini, vllm, unified: which providers may serve it
   */
  'family': (string);
  /**
   * id of the response that this request continues; empty: none
   */
  'previousResponseId': (string);
  /**
   * included in input_tokens_estimate; held at the audio price
   */
  'audioInputTokensEstimate': (number);
  /**
   * no audio output is requested: output is held at the price of text or of images
   */
  'textOutput': (boolean);
  /**
   * tools that the provider runs by itself; at most 128
   */
  'serverTools': (_tollgate_policy_v1_ServerTool__Output)[];
  /**
   * id of the conversation that this request continues; empty: none
   */
  'conversationId': (string);
  /**
   * id of the stored response or conversation that the operation is about; empty: none
   */
  'storedId': (string);
  /**
   * Ids of stored output items that the input refers to. Each must belong to the key's owner. At most 1024.
   */
  'itemIds': (string)[];
  /**
   * Ids of items that the input sends with content that only the provider may complete by the id. One that
   * belongs to another owner is refused; an unknown one is not. At most 1024.
   */
  'replayedItemIds': (string)[];
  /**
   * Only for the operations mcp_call and mcp_request; model, provider_pin and the estimates are empty then.
   */
  'mcp': (_tollgate_policy_v1_McpCall__Output | null);
  /**
   * The caller has asked over another session for the same request before, so only the store knows what became
   * of it. Policy then decides exactly, never from a float.
   */
  'resent': (boolean);
  /**
   * The span that waits for the decision: 16 bytes of trace id, 8 of span id, one of flags. Only of requests
   * that are traced; empty: policy makes no span.
   */
  'trace': (Buffer);
  /**
   * The conversation that the request belongs to, within its API key: 8 bytes of a hash. Its turns prefer the
   * same candidate. Empty: none, and candidates take turns.
   */
  'affinity': (Buffer);
  /**
   * Whom the client names as the one behind the request. Allow.attribution says what of it counts. Absent: nobody.
   */
  'claimed': (_tollgate_policy_v1_ClaimedAttribution__Output | null);
  /**
   * The client has replaced the beginning of the conversation, so nothing cached of it is of use. A conversation
   * that was moved from its first candidate goes back.
   */
  'contextCompacted': (boolean);
  /**
   * Only for the operation passthrough; model, provider_pin and the estimates are empty then.
   */
  'passthrough': (_tollgate_policy_v1_PassthroughCall__Output | null);
  /**
   * As affinity, also of prompts that are too short to be cached, and where affinity is switched off. Experiments
   * assign an arm by it. Empty: affinity says it, or the request belongs to no conversation.
   */
  'conversation': (Buffer);
  /**
   * The request is the shadow of another one: its id, and the experiment of Allow.shadow. The model is that of the
   * shadow, `model` is empty, and the limits are those of the shadow instead of the key's. Empty: it is no shadow.
   */
  'shadowOf': (string);
  'shadowExperimentId': (string);
  /**
   * With affinity: the prompt has an answer of an earlier turn, so it may be cached at the conversation's place.
   */
  'conversationContinues': (boolean);
  /**
   * Tiers other than standard processing that the request asks for; at most 8.
   */
  'serviceTiers': (_tollgate_policy_v1_ServiceTier__Output)[];
  /**
   * Output tokens of one answer whose number follows from the request, such as of an image's size and quality, and
   * cannot be bounded. 0: unknown, or the output is bounded.
   */
  'outputTokensEstimate': (number);
  /**
   * Tokens that the request adds to the conversation of conversation_id, or of stored_id, before any answer: its follow-ups
   * read them from then on. 0: none.
   */
  'addedTokens': (number);
}
