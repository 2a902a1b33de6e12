// What messages and answers are made of, whatever format they came in or leave in: text, pictures,
// calls, reasoning and its seals.

export type JsonObject = Record<string, unknown>;

/** Where a passage of an answer came from. */
export interface Citation {
  url: string;
  title?: string;
  /** Character offsets into the text of the answer. */
  startIndex?: number;
  endIndex?: number;
}

/** What a client may ask to be cached up to; the mark is as it wrote it, the same object as in the extras. */
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
 * Sound, inline or by reference. `data` is base64; `id` names sound that the provider keeps, which
 * is how an assistant's earlier spoken answer is referred to.
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
 * A provider's seal on reasoning, which is handed back to it unchanged and to nobody else: a
 * signature, or reasoning that only the provider can read.
 */
export interface Seal {
  signature?: string;
  redacted?: string;
  /** Absent where nothing is sealed, or where it does not matter by whom. */
  sealedBy?: Sealer;
  /** What the provider put the seal on, where that is not the reasoning itself. */
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

/** A page that a search of the web found. */
export interface FoundPage {
  url: string;
  title?: string;
}

/** A search of the web that the provider made while it answered. */
export interface WebSearchCall {
  /** Empty where the provider gives none. */
  id: string;
  /** What was looked for; a provider may look for several things at once. */
  queries: string[];
  /** What was found, as far as the provider tells. */
  pages: FoundPage[];
  /** The provider's own word for why nothing could be looked for. */
  failure?: string;
}

/** Stands in answers only: in a conversation that is sent back it is of a kind that only its format knows. */
export interface WebSearchBlock extends Cacheable, WebSearchCall {
  type: 'web_search';
}

/** A kind of content that only the source format knows; any other target drops it, by its kind. */
export interface OtherBlock extends Cacheable {
  type: 'other';
  kind: string;
  /** As it came. */
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
