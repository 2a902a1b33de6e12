// Estimates the input tokens of a request. Holds use these numbers, so they are rather too high;
// usage beyond them is booked all the same. Pure and cheap, because it runs for every request.

import type { ContentBlock, NormalisedRequest } from '..';
import { estimateImage } from './image';
import { estimateReferences, STORED_FILE_TOKENS } from './references';
import { estimateText } from './text';

export { estimateImage } from './image';
export { estimateReferences } from './references';
export { likelySeconds, mostSeconds, soundTokens, type SoundFile } from './sound';
export { estimateText } from './text';

/** Roles and separators around each message, and around the whole. */
const MESSAGE_TOKENS = 5;
/** What a provider adds around a tool declaration or call. */
const TOOL_TOKENS = 12;
/** A request with tools gets an extra system prompt from the provider. */
const TOOL_USE_TOKENS = 350;
/**
 * Audio counts 10 to 32 tokens per second. Compressed speech has at least 4 kB per second,
 * uncompressed at least 16 kB; base64 adds a third.
 */
const AUDIO_CHARACTERS_PER_TOKEN = { compressed: 160, plain: 660 };
const PLAIN_SOUND = new Set(['wav', 'pcm16', 'pcm', 'flac']);
/**
 * Base64 of a file: a document page is read as text and as an image, and has some 40 kB. Anything else may be text, which
 * has three or more bytes to a token.
 */
const FILE_CHARACTERS_PER_TOKEN = { document: 8, other: 4 };
/** How PDF, ZIP (as of Office) and the older Office files begin, in base64. */
const DOCUMENT_START = /^(?:JVBERi|UEsD|0M8R4K)/;
const RECORDING_TYPE = /^(?:video|audio|image)\//i;
const TEXT_TYPE =
  /^text\/|^application\/(?:[\w.-]+\+)?(?:x-)?(?:json|jsonl|ndjson|xml|yaml|csv|sql|javascript|typescript)$/i;
const STORED_SOUND_TOKENS = 2_000;

/** The input of a chat request: messages, tools, response schema. */
export function estimateInputTokens(request: NormalisedRequest): number {
  let tokens = MESSAGE_TOKENS;
  for (const message of request.messages) {
    tokens += MESSAGE_TOKENS + estimateContent(message.content);
  }
  if (request.tools.length > 0) tokens += TOOL_USE_TOKENS;
  for (const tool of request.tools) tokens += TOOL_TOKENS + estimateText(JSON.stringify(tool));
  if (request.responseFormat) tokens += estimateText(JSON.stringify(request.responseFormat));
  for (const name in request.extras) {
    const value = request.extras[name];
    // A prediction or a list of documents is input too; most other extras are short switches.
    if (typeof value === 'object' && value !== null) {
      tokens += estimateText(JSON.stringify(value)) + estimateReferences(value);
    }
  }
  return tokens;
}

/** The audio part of a chat request's input. */
export function estimateSoundTokens(request: NormalisedRequest): number {
  let tokens = 0;
  for (const { content } of request.messages) {
    for (const block of content) {
      if (block.type === 'audio') tokens += estimateSound(block.data, block.format);
    }
  }
  return tokens;
}

export function estimateContent(blocks: readonly ContentBlock[]): number {
  let tokens = 0;
  for (const block of blocks) tokens += estimateBlock(block);
  return tokens;
}

function estimateBlock(block: ContentBlock): number {
  switch (block.type) {
    case 'text':
    case 'refusal':
      return estimateText(block.text);
    case 'thinking':
      return estimateText(block.text) + estimateText(block.redacted ?? '');
    case 'image':
      return estimateImage(block.url);
    case 'audio':
      return estimateSound(block.data, block.format);
    case 'file':
      return block.data === undefined ? STORED_FILE_TOKENS : estimateFile(block.data);
    case 'tool_call':
      return TOOL_TOKENS + estimateText(block.name) + estimateText(block.arguments);
    case 'tool_result':
      return TOOL_TOKENS + estimateContent(block.content);
    case 'web_search':
      return TOOL_TOKENS + estimateText(block.queries.join(' '));
    case 'other':
      return estimateText(JSON.stringify(block)) + estimateReferences(block.raw);
  }
}

/** Of a data URL, or of base64 alone. */
function estimateFile(data: string): number {
  const [head = '', type = ''] = /^data:([^;,]{0,200})[^,]{0,200},/i.exec(data) ?? [];
  const content = data.slice(head.length);
  if (TEXT_TYPE.test(type)) {
    const isBase64 = /;base64,$/i.test(head);
    return estimateText(isBase64 ? Buffer.from(content, 'base64').toString('utf8') : content);
  }
  const { document, other } = FILE_CHARACTERS_PER_TOKEN;
  const isDocument = RECORDING_TYPE.test(type) || DOCUMENT_START.test(content);
  return Math.ceil(content.length / (isDocument ? document : other));
}

function estimateSound(data: string | undefined, format: string | undefined): number {
  if (data === undefined) return STORED_SOUND_TOKENS;
  const { compressed, plain } = AUDIO_CHARACTERS_PER_TOKEN;
  return Math.ceil(data.length / (PLAIN_SOUND.has(format ?? '') ? plain : compressed));
}
