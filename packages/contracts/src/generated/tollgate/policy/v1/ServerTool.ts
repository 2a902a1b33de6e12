// Original file: protos/tollgate/policy/v1/policy.proto

import type { Long } from '@grpc/proto-loader';

/**
 * A tool that the provider runs while it answers and may bill beside the tokens. The hold covers its
 * calls.
 */
export interface ServerTool {
  /**
   * The billed unit of a call. Empty: calls cost only their tokens. `*`: the request does not name its
   * tools, so the dearest unit of the model's price is held.
   */
  'unit'?: (string);
  /**
   * path of the field that adds it; a refusal names it
   */
  'param'?: (string);
  /**
   * the request's own bound; 0: none, the model's max_tool_calls is held
   */
  'maxCalls'?: (number | string | Long);
  /**
   * one bound counts the calls of all tools that share it
   */
  'sharesBound'?: (boolean);
  /**
   * input that the result of a call is expected to add at most
   */
  'inputTokensPerCall'?: (number | string | Long);
  /**
   * Which upstreams run it: a format (anthropic), a format and a type of provider (openai/PROVIDER_A), or
   * a format and what its provider declares (openai/native_responses).
   * A request that is translated for its upstream loses the tools of its own format. Empty: all.
   */
  'upstreams'?: (string)[];
  /**
   * Each call reads the whole input again, beside the request's own prompt and input_tokens_per_call.
   */
  'readsInput'?: (boolean);
}

/**
 * A tool that the provider runs while it answers and may bill beside the tokens. The hold covers its
 * calls.
 */
export interface ServerTool__Output {
  /**
   * The billed unit of a call. Empty: calls cost only their tokens. `*`: the request does not name its
   * tools, so the dearest unit of the model's price is held.
   */
  'unit': (string);
  /**
   * path of the field that adds it; a refusal names it
   */
  'param': (string);
  /**
   * the request's own bound; 0: none, the model's max_tool_calls is held
   */
  'maxCalls': (number);
  /**
   * one bound counts the calls of all tools that share it
   */
  'sharesBound': (boolean);
  /**
   * input that the result of a call is expected to add at most
   */
  'inputTokensPerCall': (number);
  /**
   * Which upstreams run it: a format (anthropic), a format and a type of provider (openai/PROVIDER_A), or
   * a format and what its provider declares (openai/native_responses).
   * A request that is translated for its upstream loses the tools of its own format. Empty: all.
   */
  'upstreams': (string)[];
  /**
   * Each call reads the whole input again, beside the request's own prompt and input_tokens_per_call.
   */
  'readsInput': (boolean);
}
