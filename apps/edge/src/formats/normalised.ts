// The hub of the codecs: a chat request, its answer and its stream, independent of the wire format.
// Types only. Nothing here names a vendor or a wire field.

import type { GatewayError, TierWords, TokenUsage, Unit } from '@tollgate/contracts';

import type { Cacheable, Citation, ContentBlock, JsonObject, Seal, WebSearchCall } from './content';
import type { RawNumber } from './json';
import type { WebSearchAsked } from './web-search';

export type * from './content';

/** The wire formats with a codec; each has a folder here. */
export type FormatName =
  | 'anthropic-messages'
  | 'gemini-generate'
  | 'gemini-generate-array'
  | 'openai-chat'
  | 'openai-responses'
  | 'unified';

export type MessageRole = 'system' | 'developer' | 'user' | 'assistant' | 'tool';

/**
 * Results of tool calls are `tool_result` blocks, in a message of role `tool` or with text in one
 * of role `user`, because formats place them differently.
 */
export interface NormalisedMessage {
  role: MessageRole;
  name?: string;
  /** The path of the message in the payload; absent: `messages` at its own index. */
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
  /** The format it was decoded from; `raw` may only be sent to a target of this format. */
  format: FormatName;
  /** The provider the client pinned, as it spelled it. */
  provider?: string;
  model: string;
  messages: NormalisedMessage[];
  tools: ToolDefinition[];
  /** The conversation adds tools that only `format` knows. */
  addsTools?: boolean;
  /**
   * A web search by the provider. It is also an extra under its `path`; a target with such a search
   * ignores that extra.
   */
  webSearch?: WebSearchAsked;
  toolChoice?: ToolChoice;
  parallelToolCalls?: boolean;
  responseFormat?: ResponseFormat;
  sampling: Sampling;
  /** The client's own output bound, reasoning included. */
  maxOutputTokens?: number;
  reasoningEffort?: string;
  /**
   * The reasoning budget in tokens; 0: no reasoning; negative: the model decides. It is also an
   * extra under this `path`, which every target ignores: the target sends the budget or the nearest
   * effort (thinking-efforts.ts), or drops the path itself.
   */
  reasoningBudget?: { tokens: number; path: string };
  /** The number of choices. */
  n: number;
  stream: boolean;
  /** Whether the client asked for usage in its stream. */
  includeUsage: boolean;
  metadata?: JsonObject;
  /** The client's own name for its end user. */
  endUser?: string;
  serviceTier?: string;
  modalities?: string[];
  /** The audio settings of a spoken answer: `{voice, format}` as the client wrote it. */
  audioOutput?: JsonObject;
  /** The client declared its tools in the older `functions` style and expects answers in it. */
  legacyFunctions?: boolean;
  /**
   * Parameters that only `format` knows, by their wire name. Other targets drop them and report the
   * name.
   */
  extras: JsonObject;
  /**
   * Maps the chat format's name of a parameter to the client's, for reporting dropped parameters.
   */
  paths?: Readonly<Record<string, string>>;
  /** The payload in wire form. */
  raw: JsonObject;
}

/**
 * Why a choice ended, in one vocabulary for all providers. `error`: the provider reported a
 * failure; `other`: a reason without a word here, given in the raw reason.
 */
export type StopReason =
  'stop' | 'length' | 'tool_calls' | 'content_filter' | 'refusal' | 'pause' | 'error' | 'other';

export interface NormalisedChoice {
  index: number;
  content: ContentBlock[];
  stopReason: StopReason;
  /** The provider's own word; empty when it gave none. */
  rawStopReason: string;
  /** The stop sequence that ended the choice, if the provider reports it. */
  stopSequence?: string;
  /** Token log probabilities in OpenAI's shape, the only shape here. */
  logprobs?: JsonObject;
}

/** Usage as the provider reports it. */
export interface ReportedUsage {
  /** In disjoint classes, as the ledger counts. */
  tokens: TokenUsage;
  /** The provider's own totals, on its own basis: for example with or without cached input. */
  inputTokens: number;
  outputTokens: number;
  /** Billed units other than tokens; absent if there are none. */
  units?: ReportedUnits;
  /** The processing tiers that it names; absent if it names none. */
  tiers?: TierWords;
}

/** Units of server tools, by billed unit. */
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
  /** The body in wire form; absent if the answer was folded from a stream. */
  raw?: JsonObject;
}

/** How an upstream answer failed, in the attempt record's words. */
export type StreamFault =
  | 'EARLY_END'
  | 'INVALID_RESPONSE'
  | 'UPSTREAM_ERROR'
  /** The gateway ended it. */
  | 'ABORTED';

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
      /** The provider's input count, if it reports one before the output. */
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
  /** Server tool units so far, which are billed if the stream breaks. */
  | { type: 'units'; units: ReportedUnits }
  | { type: 'usage'; usage: ReportedUsage }
  | { type: 'end' }
  | { type: 'error'; error: GatewayError; fault: StreamFault };
