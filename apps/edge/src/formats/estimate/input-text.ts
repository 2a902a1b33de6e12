// What of a request, or of an answer, is text, where the provider has counted nothing: it is then counted
// by a tokeniser, and the rest (pictures, sound, documents) as it was for the hold.

import type { ContentBlock, NormalisedRequest } from '..';
import { estimateContent, estimateSoundTokens } from '.';

export type PlainText = {
  texts: string[];
  /** Tokens of what is not text, and of what stands around messages. */
  otherTokens: number;
};

export type InputText = PlainText & {
  /** Tokens of sound, which are not among the others. */
  soundTokens: number;
};

/** What the chat format writes around each message, and before the answer (OpenAI's cookbook). */
const MESSAGE_TOKENS = 3;
const ANSWER_TOKENS = 3;

export function inputText(request: NormalisedRequest): InputText {
  const texts: string[] = [];
  let otherTokens = ANSWER_TOKENS;
  for (const message of request.messages) {
    otherTokens += MESSAGE_TOKENS + collect(message.content, texts);
  }
  for (const tool of request.tools) texts.push(JSON.stringify(tool));
  if (request.responseFormat) texts.push(JSON.stringify(request.responseFormat));
  for (const value of Object.values(request.extras)) {
    if (typeof value === 'object' && value !== null) texts.push(JSON.stringify(value));
  }
  const soundTokens = estimateSoundTokens(request);
  return { texts, otherTokens: otherTokens - soundTokens, soundTokens };
}

/** What answers say. */
export function outputText(answers: readonly (readonly ContentBlock[])[]): PlainText {
  const texts: string[] = [];
  let otherTokens = 0;
  for (const blocks of answers) otherTokens += collect(blocks, texts);
  return { texts, otherTokens };
}

/** Puts text among the others; gives the tokens of what is not text. */
function collect(blocks: readonly ContentBlock[], texts: string[]): number {
  let tokens = 0;
  for (const block of blocks) {
    switch (block.type) {
      case 'text':
      case 'refusal':
        texts.push(block.text);
        break;
      case 'thinking':
        texts.push(block.text);
        tokens += estimateContent([{ ...block, text: '' }]);
        break;
      case 'tool_call':
        texts.push(block.name, block.arguments);
        break;
      case 'tool_result':
        tokens += collect(block.content, texts);
        break;
      default:
        tokens += estimateContent([block]);
    }
  }
  return tokens;
}
