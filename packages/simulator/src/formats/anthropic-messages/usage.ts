// Usage of a message on the wire.

import type { BilledUsage } from '../../bill';
import type { JsonObject } from '../../json';
import type { MessageTiers } from '../../tiers';
import type { Manner } from './response';

export type Ran = Pick<Manner, 'searches' | 'runs' | 'compaction'>;
export const NOTHING_RAN: Ran = { searches: 0, runs: 0, compaction: undefined };

/** `usage` is that of the answer; a compaction is told beside it only. */
export function deltaUsage(usage: BilledUsage, { compaction, runs, searches }: Ran): JsonObject {
  const requests = {
    web_search_requests: searches,
    web_fetch_requests: 0,
    ...(runs > 0 ? { code_execution_requests: runs } : {}),
  };
  return {
    input_tokens: usage.input + usage.audioInput,
    cache_creation_input_tokens: usage.cacheWrite + usage.cacheWrite1h,
    cache_read_input_tokens: usage.cacheRead,
    output_tokens: usage.output + usage.audioOutput,
    output_tokens_details: usage.reasoning > 0 ? { thinking_tokens: usage.reasoning } : null,
    server_tool_use: searches + runs > 0 ? requests : null,
    iterations: compaction === undefined ? null : iterationsOf(compaction, usage),
  };
}

/** After a compaction that was asked for alone, no message is sampled. */
function iterationsOf(compaction: BilledUsage, message: BilledUsage): JsonObject[] {
  const first = iteration('compaction', compaction);
  return message.input === 0 ? [first] : [first, iteration('message', message)];
}

function iteration(type: string, usage: BilledUsage): JsonObject {
  return {
    type,
    input_tokens: usage.input + usage.audioInput,
    cache_creation_input_tokens: usage.cacheWrite + usage.cacheWrite1h,
    cache_read_input_tokens: usage.cacheRead,
    cache_creation: cacheCreation(usage),
    output_tokens: usage.output + usage.audioOutput,
  };
}

function cacheCreation({ cacheWrite, cacheWrite1h }: BilledUsage): JsonObject {
  return { ephemeral_5m_input_tokens: cacheWrite, ephemeral_1h_input_tokens: cacheWrite1h };
}

export function messageUsage(usage: BilledUsage, ran: Ran, tiers: MessageTiers): JsonObject {
  return { ...deltaUsage(usage, ran), cache_creation: cacheCreation(usage), ...tiers };
}

/** The sum of both, or their difference. */
export function plus(a: BilledUsage, b: BilledUsage | undefined, sign: 1 | -1 = 1): BilledUsage {
  const total = { ...a };
  if (b === undefined) return total;
  for (const name of Object.keys(total) as (keyof BilledUsage)[]) total[name] += sign * b[name];
  return total;
}
