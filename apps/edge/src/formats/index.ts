// The codecs between wire formats and the normalised request, answer and stream: a folder per
// format, each pairing both directions of one noun per file. No I/O, no clock, no vendor names.
// Adding a format is a folder and a row here.

import { anthropicMessages } from './anthropic-messages';
import type { Format } from './format';
import { geminiGenerate, geminiGenerateArray } from './gemini-generate';
import type { FormatName } from './normalised';
import { openaiChat } from './openai-chat';
import { openaiResponses } from './openai-responses';
import { unified } from './unified';

export const FORMATS: Readonly<Record<FormatName, Format>> = {
  'anthropic-messages': anthropicMessages,
  'gemini-generate': geminiGenerate,
  'gemini-generate-array': geminiGenerateArray,
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  unified,
};

export type * from './format';
export type * from './normalised';
export {
  EMBEDDINGS,
  type EmbeddingsAnswer,
  type EmbeddingsCodec,
  type EmbeddingsRequest,
} from './embeddings';
export { createRestorer, restoreResponse, type AnswerChanges } from './answer-changes';
export { parseJson } from './json';
export { createFold, foldStream } from './fold';
export type { BufferedOutput, OutputBuffer } from './output-buffer';
export { createStreamMeter, type StreamMeter } from './meter';
export { TOKEN_COUNTS, type TokenCounts } from './token-counts';
