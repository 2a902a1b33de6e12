// Converts usage of the messages format, which excludes cached input from `input_tokens`, to the
// ledger's disjoint classes and back.

import { addUsage, tokensOut, type TokenUsage } from '@tollgate/contracts';

import { optionalCount } from '../counts';
import { arrayOf, countOf, isObject, objectOf, textOf } from '../json';
import type { JsonObject, ReportedUnits, ReportedUsage } from '../normalised';
import { toolUnits } from '../server-tools';
import { tiersIn } from '../service-tiers';
import { countCalls, type SeenCalls } from './server-tools';

/**
 * Undefined if there is no usage, or if it is not valid. `tokens` are all that is billed; the counts
 * beside them are the vendor's own, which leave out compactions.
 */
export function decodeUsage(value: unknown, seen = NO_CALLS): ReportedUsage | undefined {
  if (!isObject(value)) return undefined;
  const own = decodeTokens(value);
  if (own === undefined) return undefined;
  const calls = toolUnits(countCalls(value, seen));
  return {
    tokens: compactionsIn(value).reduce(addUsage, own),
    inputTokens: own.input,
    outputTokens: own.output,
    ...calls,
    ...tiersIn(value, TIER_FIELDS),
  };
}

/** Cache writes count by their total; their lifetimes are parts of it. */
function decodeTokens(value: JsonObject): TokenUsage | undefined {
  const input = countOf(value['input_tokens']);
  const output = optionalCount(value['output_tokens'], 0);
  const cacheRead = optionalCount(value['cache_read_input_tokens'], 0);
  if (input === undefined || output === undefined || cacheRead === undefined) return undefined;

  const lifetimes = objectOf(value['cache_creation']) ?? {};
  const hour = countOf(lifetimes['ephemeral_1h_input_tokens']) ?? 0;
  const minutes = countOf(lifetimes['ephemeral_5m_input_tokens']) ?? 0;
  const written = optionalCount(value['cache_creation_input_tokens'], hour + minutes);
  if (written === undefined) return undefined;
  const cacheWrite1h = Math.min(hour, written);
  const thinking = countOf(objectOf(value['output_tokens_details'])?.['thinking_tokens']) ?? 0;

  return {
    input,
    cacheRead,
    cacheWrite5m: written - cacheWrite1h,
    cacheWrite1h,
    audioInput: 0,
    imageInput: 0,
    output,
    audioOutput: 0,
    imageOutput: 0,
    reasoning: Math.min(thinking, output),
  };
}

/** Before its answer the model may summarise the context. Its tokens are billed beside the others. */
function compactionsIn({ iterations }: JsonObject): TokenUsage[] {
  return arrayOf(iterations).flatMap((one) => {
    const iteration = objectOf(one);
    if (iteration?.['type'] !== 'compaction') return [];
    return decodeTokens(iteration) ?? [];
  });
}

export const TIER_FIELDS = {
  service: ['service_tier'],
  speed: ['speed'],
  region: ['inference_geo'],
} as const;

const NO_CALLS: SeenCalls = { searches: 0, code: false };

/**
 * Counts in a stream are running totals; an absent or null count is unchanged.
 */
export function mergeUsage(before: JsonObject, value: unknown): JsonObject {
  if (!isObject(value)) return before;
  const merged = { ...before };
  for (const [name, count] of Object.entries(value)) if (count !== null) merged[name] = count;
  return merged;
}

/** Service tiers that other formats share. */
const TIERS: Readonly<Record<string, string>> = {
  standard: 'standard',
  default: 'standard',
  priority: 'priority',
  batch: 'batch',
};

export function decodeServiceTier(usage: unknown): string | undefined {
  return textOf(objectOf(usage)?.['service_tier']);
}

export function encodeUsage(
  tokens: TokenUsage,
  { serviceTier, units }: { serviceTier?: string | undefined; units?: ReportedUnits | undefined },
): JsonObject {
  const searches = units?.web_search ?? 0;
  return {
    input_tokens: tokens.input + tokens.audioInput + tokens.imageInput,
    cache_creation_input_tokens: tokens.cacheWrite5m + tokens.cacheWrite1h,
    cache_read_input_tokens: tokens.cacheRead,
    cache_creation: {
      ephemeral_5m_input_tokens: tokens.cacheWrite5m,
      ephemeral_1h_input_tokens: tokens.cacheWrite1h,
    },
    output_tokens: tokensOut(tokens),
    output_tokens_details: { thinking_tokens: tokens.reasoning },
    server_tool_use: searches > 0 ? { web_search_requests: searches, web_fetch_requests: 0 } : null,
    service_tier: TIERS[serviceTier ?? ''] ?? null,
    inference_geo: null,
    speed: null,
  };
}
