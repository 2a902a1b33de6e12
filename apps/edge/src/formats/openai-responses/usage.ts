// Converts usage of the responses format, whose totals include their parts, to the ledger's
// disjoint classes and back.

import { tokensIn, tokensOut, type TokenUsage } from '@tollgate/contracts';

import { optionalCount } from '../counts';
import { arrayOf, countOf, isObject, objectOf } from '../json';
import type { JsonObject, ReportedUsage } from '../normalised';
import { toolUnits } from '../server-tools';
import { openAiTiersIn } from '../service-tiers';
import { countCalls } from './server-tools';

/**
 * Undefined if there is no usage, or if it is not valid. The parts never sum to more than the
 * total, whatever the provider reports. Cache writes count by their total; the longer lifetime is a
 * part of it.
 */
export function decodeUsage(value: unknown): ReportedUsage | undefined {
  if (!isObject(value)) return undefined;
  const inputTokens = countOf(value['input_tokens']);
  const outputTokens = optionalCount(value['output_tokens'], 0);
  if (inputTokens === undefined || outputTokens === undefined) return undefined;

  const inDetails = objectOf(value['input_tokens_details']) ?? {};
  const outDetails = objectOf(value['output_tokens_details']) ?? {};
  const lifetimes = objectOf(inDetails['cache_write_tokens_details']) ?? {};
  let left = inputTokens;
  const take = (part: unknown): number => {
    const taken = Math.min(countOf(part) ?? 0, left);
    left -= taken;
    return taken;
  };
  const cacheRead = take(inDetails['cached_tokens']);
  const written = take(inDetails['cache_write_tokens']);
  const audioInput = take(inDetails['audio_tokens']);
  const imageInput = take(inDetails['image_tokens']);
  const cacheWrite1h = Math.min(countOf(lifetimes['ttl_12h_tokens']) ?? 0, written);
  const audioOutput = Math.min(countOf(outDetails['audio_tokens']) ?? 0, outputTokens);
  const drawn = countOf(outDetails['image_tokens']) ?? 0;
  const imageOutput = Math.min(drawn, outputTokens - audioOutput);
  const output = outputTokens - audioOutput - imageOutput;

  const tokens: TokenUsage = {
    input: left,
    cacheRead,
    cacheWrite5m: written - cacheWrite1h,
    cacheWrite1h,
    audioInput,
    imageInput,
    output,
    audioOutput,
    imageOutput,
    reasoning: Math.min(countOf(outDetails['reasoning_tokens']) ?? 0, output),
  };
  return { tokens, inputTokens, outputTokens };
}

export function encodeUsage(tokens: TokenUsage): JsonObject {
  const { cacheRead, cacheWrite5m, cacheWrite1h } = tokens;
  const input = tokensIn(tokens);
  const output = tokensOut(tokens);
  const lifetimes = { ttl_30m_tokens: cacheWrite5m, ttl_12h_tokens: cacheWrite1h };
  return {
    input_tokens: input,
    input_tokens_details: {
      cached_tokens: cacheRead,
      cache_write_tokens: cacheWrite5m + cacheWrite1h,
      ...(cacheWrite1h > 0 ? { cache_write_tokens_details: lifetimes } : {}),
    },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: tokens.reasoning },
    total_tokens: input + output,
  };
}

/** The usage of a response; server tool calls are items of its output. */
export function usageOf(response: JsonObject): ReportedUsage | undefined {
  const usage = decodeUsage(response['usage']);
  if (usage === undefined) return undefined;
  const tiers = openAiTiersIn(response);
  return { ...usage, ...toolUnits(countCalls(arrayOf(response['output']))), ...tiers };
}
