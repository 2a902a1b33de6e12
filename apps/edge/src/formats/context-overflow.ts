// Prompts that are longer than the model's context. Each vendor refuses them in its own words, and its clients
// look for just these: agents then shorten the conversation and go on.

import type { GatewayError } from '@tollgate/contracts';

/** OpenAI's code, which compatible servers send too. */
export const CONTEXT_OVERFLOW = 'context_length_exceeded';

const WORDS: ReadonlySet<unknown> = new Set([CONTEXT_OVERFLOW, 'exceed_context_size_error']);

/** Messages of upstreams whose code says no more than that the request is not valid. */
const TEXTS: readonly RegExp[] = [
  // OpenAI, vLLM and most servers of the chat format; xAI.
  /maximum (context|prompt) length/i,
  /exceeds the context window/i,
  // Anthropic.
  /prompt is too long/i,
  /exceed context limit/i,
  // Bedrock.
  /input is too long/i,
  // Gemini.
  /exceeds the maximum number of tokens/i,
  // SGLang, llama.cpp.
  /longer than the model's context length/i,
  /exceeds the available context size/i,
];

/** The bound on output is at fault, not the prompt. */
const OUTPUT_BOUND = /max_(completion_|output_)?tokens'? is too large/i;

export function isContextOverflow({ code, details, message }: GatewayError): boolean {
  if (code !== 'upstream_rejected') return false;
  if (WORDS.has(details?.['upstreamCode']) || WORDS.has(details?.['upstreamType'])) return true;
  return TEXTS.some((text) => text.test(message)) && !OUTPUT_BOUND.test(message);
}

/** The message, which begins with `sentence` unless it has the words that clients look for. */
export function overflowMessage(error: GatewayError, sentence: string, words = sentence): string {
  const { message } = error;
  return !isContextOverflow(error) || message.includes(words) ? message : `${sentence}: ${message}`;
}
