// The content blocks of messages and answers, independent of the wire format: text, images, tool
// calls, reasoning and its seals.

export type JsonObject = Record<string, unknown>;

/** The source of a passage of an answer. */
export interface Citation {
  url: string;
  title?: string;
  /** Character offsets into the text of the answer. */
  startIndex?: number;
  endIndex?: number;
}

/** A cache mark of the client; the same object that is among the extras. */
export interface Cacheable {
  cacheControl?: JsonObject;
}

export interface TextBlock extends Cacheable {
  type: 'text';
  text: string;
  citations?: Citation[];
}

/** `url` may be a data URL, or an address that the upstream fetches itself. */
export interface ImageBlock extends Cacheable {
  type: 'image';
  url: string;
  detail?: string;
}

/**
 * Audio, inline or by reference. `data` is base64. `id` names audio that the provider stores, for
 * example an assistant's earlier spoken answer.
 */
export interface AudioBlock extends Cacheable {
  type: 'audio';
  data?: string;
  format?: string;
  id?: string;
  transcript?: string;
  expiresAtS?: number;
}

/**
 * A document: inline (`data`, a data URL), at an address that the upstream fetches itself, or by the
 * id of an upload.
 */
export interface FileBlock extends Cacheable {
  type: 'file';
  data?: string;
  url?: string;
  fileId?: string;
  filename?: string;
}

/**
 * A call that the model asks for. `arguments` is the text the model wrote: JSON for a function (not
 * checked here: models do write broken JSON), anything for a custom tool.
 */
export interface ToolCallBlock extends Cacheable {
  type: 'tool_call';
  id: string;
  kind: 'function' | 'custom';
  name: string;
  arguments: string;
}

export interface ToolResultBlock extends Cacheable {
  type: 'tool_result';
  toolCallId: string;
  content: ContentBlock[];
  isError?: boolean;
}

/** The formats whose providers seal reasoning. */
export type Sealer = 'anthropic-messages' | 'gemini-generate' | 'openai-chat' | 'openai-responses';

/**
 * A provider's seal on reasoning: a signature, or reasoning that only the provider can read. It is
 * returned unchanged to that provider and sent to no other.
 */
export interface Seal {
  signature?: string;
  redacted?: string;
  /** Absent if nothing is sealed, or if any provider takes the seal. */
  sealedBy?: Sealer;
  /** The sealed block, if that is not the reasoning itself. */
  sealOn?: SealPlace;
}

/** The text of the answer, or the call with this id. */
export type SealPlace = 'text' | `call:${string}`;

/** Reasoning shown by the model. */
export interface ThinkingBlock extends Seal {
  type: 'thinking';
  text: string;
}

export interface RefusalBlock extends Cacheable {
  type: 'refusal';
  text: string;
}

/** A page that a web search found. */
export interface FoundPage {
  url: string;
  title?: string;
}

/** A web search that the provider ran while it answered. */
export interface WebSearchCall {
  /** Empty if the provider sends none. */
  id: string;
  /** The queries; one search may have several. */
  queries: string[];
  /** The pages found, as far as the provider reports them. */
  pages: FoundPage[];
  /** The provider's own error code for a failed search. */
  failure?: string;
}

/**
 * Appears in answers only. In a conversation that is sent back, a search is content that only its
 * own format knows.
 */
export interface WebSearchBlock extends Cacheable, WebSearchCall {
  type: 'web_search';
}

/** Content that only the source format knows. Other targets drop it and report its kind. */
export interface OtherBlock extends Cacheable {
  type: 'other';
  kind: string;
  /** The wire form. */
  raw: JsonObject;
}

export type ContentBlock =
  | TextBlock
  | ImageBlock
  | AudioBlock
  | FileBlock
  | ToolCallBlock
  | ToolResultBlock
  | ThinkingBlock
  | RefusalBlock
  | WebSearchBlock
  | OtherBlock;
