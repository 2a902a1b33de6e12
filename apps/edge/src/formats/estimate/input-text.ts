// Separates the text of a request or an answer from the rest, for providers that report no usage.
// The tokeniser counts the text; images, audio and documents keep the estimate of the hold.

import { estimateContent, estimateReferences, estimateSoundTokens } from '.';
import type { ContentBlock, NormalisedRequest } from '..';

export interface PlainText {
  texts: string[];
  /** Estimated tokens of non-text content and message framing. */
  otherTokens: number;
}

export type InputText = PlainText & {
  /** Audio tokens, which are not included in the others. */
  soundTokens: number;
};

/** What the chat format adds around each message and before the answer (OpenAI's cookbook). */
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
    if (typeof value !== 'object' || value === null) continue;
    texts.push(JSON.stringify(value));
    otherTokens += estimateReferences(value);
  }
  const soundTokens = estimateSoundTokens(request);
  return { texts, otherTokens: otherTokens - soundTokens, soundTokens };
}

/** The text of answers. */
export function outputText(answers: readonly (readonly ContentBlock[])[]): PlainText {
  const texts: string[] = [];
  let otherTokens = 0;
  for (const blocks of answers) otherTokens += collect(blocks, texts);
  return { texts, otherTokens };
}

/** Adds text to the list; returns the tokens of non-text content. */
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
