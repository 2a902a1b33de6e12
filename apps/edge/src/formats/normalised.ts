// The hub of the codecs: what a chat request, its answer and its stream mean, whatever format they
// came in or leave in. Types only. Nothing here spells a vendor or a wire field.

import type { GatewayError, TokenUsage, Unit } from '@tollgate/contracts';
import type { Cacheable, Citation, ContentBlock, JsonObject, Seal, WebSearchCall } from './content';
import type { RawNumber } from './json';
import type { WebSearchAsked } from './web-search';

export type * from './content';

/** The wire formats there is a codec for; each is a folder beside this file. */
export type FormatName =
  | 'anthropic-messages'
  | 'gemini-generate'
  | 'gemini-generate-array'
  | 'openai-chat'
  | 'openai-responses'
  | 'unified';

export type MessageRole = 'system' | 'developer' | 'user' | 'assistant' | 'tool';

/**
 * Results of tool calls are `tool_result` blocks, in a message of role `tool` or beside text in one
 * of role `user`, since formats differ in where they put them.
 */
export interface NormalisedMessage {
  role: MessageRole;
  name?: string;
  /** Where the client wrote it; absent: `messages` at its own position. */
  path?: string;
  content: ContentBlock[];
}

export type ToolDefinition = Cacheable & AnyTool;

type AnyTool =
  | {
      kind: 'function';
      name: string;
      description?: string;
      parameters?: JsonObject;
      strict?: boolean;
    }
  | { kind: 'custom'; name: string; description?: string; inputFormat?: JsonObject };

export interface ToolReference {
  kind: 'function' | 'custom';
  name: string;
}

export type ToolChoice =
  | { mode: 'auto' | 'none' | 'required' }
  | { mode: 'tool'; tool: ToolReference }
  | { mode: 'allowed'; require: boolean; tools: ToolReference[] };

export type ResponseFormat =
  | { type: 'text' }
  | { type: 'json_object' }
  | {
      type: 'json_schema';
      name: string;
      description?: string;
      schema?: JsonObject;
      strict?: boolean;
    };

export interface Sampling {
  temperature?: number;
  topP?: number;
  topK?: number;
  stop?: string[];
  presencePenalty?: number;
  frequencyPenalty?: number;
  seed?: number | RawNumber;
  logitBias?: Record<string, number>;
  logprobs?: boolean;
  topLogprobs?: number;
}

export interface NormalisedRequest {
  /** The format it was decoded from: decides whether `raw` may be sent on as it is. */
  format: FormatName;
  /** The provider the client pinned, as it spelled it. */
  provider?: string;
  model: string;
  messages: NormalisedMessage[];
  tools: ToolDefinition[];
  /**
   * A search of the web by the provider. It is among the extras too, by its `path`; a target that has
   * such a search leaves that extra be.
   */
  webSearch?: WebSearchAsked;
  toolChoice?: ToolChoice;
  parallelToolCalls?: boolean;
  responseFormat?: ResponseFormat;
  sampling: Sampling;
  /** The client's own bound on the output, reasoning included. */
  maxOutputTokens?: number;
  reasoningEffort?: string;
  /**
   * How many tokens the model may reason for; 0: it is asked not to; less: it decides. It is among the
   * extras too, by this `path`, which every target leaves be: it says the budget, the nearest effort
   * (thinking-efforts.ts), or drops the path itself.
   */
  reasoningBudget?: { tokens: number; path: string };
  /** How many answers are asked for. */
  n: number;
  stream: boolean;
  /** Whether the client wants to see usage in its stream. */
  includeUsage: boolean;
  metadata?: JsonObject;
  /** The client's own name for its end user. */
  endUser?: string;
  serviceTier?: string;
  modalities?: string[];
  /** How spoken answers are to sound: `{voice, format}` as the client wrote it. */
  audioOutput?: JsonObject;
  /** The client declared its tools in the older `functions` style and expects answers in it. */
  legacyFunctions?: boolean;
  /**
   * Parameters that only `format` knows, by their wire name there. Any other target drops them, by
   * name.
   */
  extras: JsonObject;
  /**
   * Where the client wrote what the chat format has another name for, by that name: a dropped
   * parameter is reported under the client's.
   */
  paths?: Readonly<Record<string, string>>;
  /** The payload as it came. */
  raw: JsonObject;
}

/**
 * Why a choice ended, the same word for every provider. `error` is the provider saying that it
 * failed; `other` a reason without a word here, found in the raw reason.
 */
export type StopReason =
  'stop' | 'length' | 'tool_calls' | 'content_filter' | 'refusal' | 'pause' | 'error' | 'other';

export interface NormalisedChoice {
  index: number;
  content: ContentBlock[];
  stopReason: StopReason;
  /** The provider's own word; empty when it gave none. */
  rawStopReason: string;
  /** The stop sequence that ended it, where the provider says so. */
  stopSequence?: string;
  /** Token log probabilities in the OpenAI shape, which is the only one that has them. */
  logprobs?: JsonObject;
}

/** What the provider says an answer took. */
export interface ReportedUsage {
  /** In disjoint classes, as the ledger counts. */
  tokens: TokenUsage;
  /** The provider's own totals, on its own basis: with or without cached input, for instance. */
  inputTokens: number;
  outputTokens: number;
  /** What is billed beside tokens, by unit; absent where there is nothing. */
  units?: ReportedUnits;
}

/** What tools that the provider runs have made, by the unit that it bills. */
export type ReportedUnits = Readonly<Partial<Record<Unit, number>>>;

export interface NormalisedResponse {
  /** The provider's id of the answer. */
  id: string;
  /** The model as the provider calls it. */
  model: string;
  createdAtS?: number;
  choices: NormalisedChoice[];
  /** Absent when the provider reported none. */
  usage?: ReportedUsage;
  serviceTier?: string;
  systemFingerprint?: string;
  /** The body as it came; absent when the answer was folded from a stream. */
  raw?: JsonObject;
}

/** How an upstream answer went wrong, in the words of the attempt record. */
export type StreamFault = 'EARLY_END' | 'INVALID_RESPONSE' | 'UPSTREAM_ERROR';

/**
 * A stream is `start`, deltas, a `stop` per choice, at most one `usage` that counts (a later one
 * replaces an earlier, as later `units` do), then exactly one `end` or `error`, after which nothing comes.
 *
 * `choice` is the index of the answer; `tool` the index of the call within it.
 */
export type StreamEvent =
  | {
      type: 'start';
      id: string;
      model: string;
      createdAtS?: number;
      serviceTier?: string;
      systemFingerprint?: string;
      /** What the provider counts as input, where it says so ahead of the output. */
      inputUsage?: TokenUsage;
    }
  | { type: 'text'; choice: number; text: string; logprobs?: JsonObject }
  | { type: 'refusal'; choice: number; text: string; logprobs?: JsonObject }
  | ({ type: 'thinking'; choice: number; text?: string } & Seal)
  | { type: 'citation'; choice: number; citation: Citation }
  | { type: 'web_search'; choice: number; search: WebSearchCall }
  | { type: 'image'; choice: number; url: string }
  | {
      type: 'audio';
      choice: number;
      id?: string;
      data?: string;
      transcript?: string;
      expiresAtS?: number;
    }
  | {
      type: 'tool_start';
      choice: number;
      tool: number;
      kind: 'function' | 'custom';
      id: string;
      name: string;
    }
  | { type: 'tool_delta'; choice: number; tool: number; arguments: string }
  | {
      type: 'stop';
      choice: number;
      reason: StopReason;
      rawReason: string;
      stopSequence?: string;
    }
  /** What tools of the provider's have made so far, which is billed if the stream breaks. */
  | { type: 'units'; units: ReportedUnits }
  | { type: 'usage'; usage: ReportedUsage }
  | { type: 'end' }
  | { type: 'error'; error: GatewayError; fault: StreamFault };
