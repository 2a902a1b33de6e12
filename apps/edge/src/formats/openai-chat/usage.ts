// Converts usage of the chat format to the ledger's disjoint classes and back. The format's totals
// include their parts: `prompt_tokens` the cached ones, `completion_tokens` the reasoning. Servers
// other than OpenAI count images in `image_tokens`.

import { tokensIn, tokensOut, type TokenUsage } from '@tollgate/contracts';

import { optionalCount } from '../counts';
import { countOf, isObject, objectOf } from '../json';
import type { JsonObject, ReportedUsage } from '../normalised';
import { toolUnits } from '../server-tools';
import { countCalls } from './server-tools';

/**
 * The usage of a chunk: a field of the chunk, of a choice (Moonshot), or of an extension (Groq).
 * Undefined: none.
 */
export function usageIn(chunk: JsonObject, choices: readonly unknown[]): JsonObject | undefined {
  const own = objectOf(chunk['usage']) ?? objectOf(objectOf(chunk['x_groq'])?.['usage']);
  if (own !== undefined) return own;
  for (const choice of choices) {
    const told = objectOf(objectOf(choice)?.['usage']);
    if (told !== undefined) return told;
  }
  return undefined;
}

/**
 * Undefined if there is no usage, or if it is not valid. The parts never sum to more than the
 * total, whatever the provider reports.
 */
export function decodeUsage(value: unknown): ReportedUsage | undefined {
  if (!isObject(value)) return undefined;
  const prompt = countOf(value['prompt_tokens']);
  const completion = optionalCount(value['completion_tokens'], 0);
  if (prompt === undefined || completion === undefined) return undefined;

  const inDetails = objectOf(value['prompt_tokens_details']) ?? {};
  const outDetails = objectOf(value['completion_tokens_details']) ?? {};
  const takeInput = takeFrom(prompt);
  // The fields of DeepSeek and Moonshot.
  const cached = inDetails['cached_tokens'] ?? value['prompt_cache_hit_tokens'];
  const cacheRead = takeInput(cached ?? value['cached_tokens']);
  const cacheWrite = takeInput(inDetails['cache_write_tokens']);
  // Servers that tell the longer lifetime do it as in the responses format.
  const lifetimes = objectOf(inDetails['cache_write_tokens_details']) ?? {};
  const cacheWrite1h = Math.min(countOf(lifetimes['ttl_12h_tokens']) ?? 0, cacheWrite);
  const audioInput = takeInput(inDetails['audio_tokens']);
  const imageInput = takeInput(inDetails['image_tokens']);

  const reasoningTokens = countOf(outDetails['reasoning_tokens'] ?? value['reasoning_tokens']) ?? 0;
  // Some servers exclude reasoning from completion_tokens; their total shows it.
  const total = countOf(value['total_tokens']);
  const apart = reasoningTokens > 0 && total === prompt + completion + reasoningTokens;
  const generated = apart ? completion + reasoningTokens : completion;
  const takeOutput = takeFrom(generated);
  const audioOutput = takeOutput(outDetails['audio_tokens']);
  const imageOutput = takeOutput(outDetails['image_tokens']);
  const output = generated - audioOutput - imageOutput;

  const tokens: TokenUsage = {
    input: prompt - cacheRead - cacheWrite - audioInput - imageInput,
    cacheRead,
    cacheWrite5m: cacheWrite - cacheWrite1h,
    cacheWrite1h,
    audioInput,
    imageInput,
    output,
    audioOutput,
    imageOutput,
    reasoning: Math.min(reasoningTokens, output),
  };
  const calls = toolUnits(countCalls(value));
  return { tokens, inputTokens: prompt, outputTokens: generated, ...calls };
}

/** Assigns parts of a total until it is used up. */
function takeFrom(total: number): (part: unknown) => number {
  let left = total;
  return (part) => {
    const taken = Math.min(countOf(part) ?? 0, left);
    left -= taken;
    return taken;
  };
}

export function encodeUsage(tokens: TokenUsage): JsonObject {
  const input = tokensIn(tokens);
  const output = tokensOut(tokens);
  const cacheWrite = tokens.cacheWrite5m + tokens.cacheWrite1h;
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: {
      cached_tokens: tokens.cacheRead,
      ...(cacheWrite > 0 ? { cache_write_tokens: cacheWrite } : {}),
      audio_tokens: tokens.audioInput,
      ...(tokens.imageInput > 0 ? { image_tokens: tokens.imageInput } : {}),
    },
    completion_tokens_details: {
      reasoning_tokens: tokens.reasoning,
      audio_tokens: tokens.audioOutput,
      ...(tokens.imageOutput > 0 ? { image_tokens: tokens.imageOutput } : {}),
    },
  };
}
