import type { FailoverTrigger, RoutingStrategy } from '@tollgate/contracts';

import { showPart } from '../../format/numbers';
import { waitWords } from '../../format/wait-words';
import { numberOrNull } from '../../resource/typed';
import type { RoutingDraft } from './draft';

// Explains routing policies in text.

export const STRATEGY_WORDS: Readonly<Record<RoutingStrategy, { label: string; note: string }>> = {
  failover: { label: 'Failover', note: 'In the order of the list' },
  priority: { label: 'Priority', note: 'Lowest priority number first' },
  round_robin: { label: 'Round robin', note: 'In turn, evenly' },
  weighted: { label: 'Weighted', note: 'Shares of requests by weight' },
  lowest_latency: { label: 'Lowest latency', note: 'Fastest recent first token' },
  lowest_cost: { label: 'Lowest cost', note: 'Cheapest for the request' },
};

export const TRIGGER_WORDS: Readonly<Record<FailoverTrigger, { label: string; note: string }>> = {
  '5xx': { label: 'It fails', note: 'upstream errors, no connection, incomplete responses' },
  timeout: { label: 'It is too slow', note: 'one of the timeouts below expires' },
  rate_limit: { label: 'It is rate limited', note: 'the upstream refuses by its own rate limits' },
  any: { label: 'Any failure', note: 'including errors that blame the request' },
};

/** How the first candidate and its successors are chosen. */
const CHOOSES: Readonly<Record<RoutingStrategy, string>> = {
  failover:
    'A request goes to the model that it names, or to the first candidate when it names the policy. The next candidates in the list follow.',
  priority:
    'A request goes to the candidate with the lowest priority number. Equal numbers follow the order of the list.',
  round_robin: 'Requests of a key go to the candidates in turn, across all gateway processes.',
  weighted: 'Each candidate gets a share of the requests in proportion to its weight.',
  lowest_latency:
    'A request goes to the candidate with the fastest recent first token. A few requests go to candidates that have not been measured yet.',
  lowest_cost: 'A request goes to the candidate that is cheapest for its size at current prices.',
};

/** The behaviour of a policy, one sentence each. `nameOf` names a model. */
export function explained(draft: RoutingDraft, nameOf: (modelId: string) => string): string[] {
  const { strategy, candidates, failoverTriggers } = draft;
  return [
    CHOOSES[strategy],
    ...(strategy === 'weighted' ? sharesOf(draft, nameOf) : []),
    'Candidates are skipped when the key may not use them, when they lack a needed capability, or when they cool down after failures.',
    ...(candidates.length < 2
      ? ['With one candidate there is no failover.']
      : [nextOf(failoverTriggers)]),
    ...retriesOf(draft),
    ...hedgeOf(draft),
    ...totalOf(draft),
    ...(draft.active
      ? []
      : ['The policy is off: keys with it use only the model that a request names.']),
  ];
}

function sharesOf({ candidates }: RoutingDraft, nameOf: (modelId: string) => string): string[] {
  const weights = candidates.map(({ weight }) => numberOrNull(weight) ?? Number.NaN);
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  // Incomplete weights have no shares.
  if (candidates.length === 0 || Number.isNaN(all) || all === 0) return [];
  const shares = candidates.map(
    ({ modelId }, index) =>
      `${nameOf(modelId)} ${showPart(Math.round((100 * (weights[index] ?? 0)) / all) / 100)}`,
  );
  return [`Current shares: ${shares.join(', ')}.`];
}

function nextOf(triggers: readonly FailoverTrigger[]): string {
  if (triggers.length === 0) {
    return 'When the candidate fails, the client gets its error. No other candidate is tried.';
  }
  if (triggers.includes('any')) {
    return 'On any failure the next candidate is tried, as long as nothing was sent to the client.';
  }
  const when = triggers.map((trigger) => WHEN[trigger]).join(', or ');
  return `When ${when}, the next candidate is tried, as long as nothing was sent to the client.`;
}

const WHEN: Readonly<Record<FailoverTrigger, string>> = {
  '5xx': 'it fails',
  timeout: 'it is too slow',
  rate_limit: 'it is rate limited',
  any: 'it fails in any way',
};

function retriesOf({ retries }: RoutingDraft): string[] {
  const times = numberOrNull(retries);
  if (times === null || Number.isNaN(times) || times === 0) return [];
  const often = times === 1 ? 'once' : `up to ${String(times)} times`;
  return [`The same candidate is retried ${often} first where that is safe.`];
}

function hedgeOf({ hedgeAfterMs, candidates }: RoutingDraft): string[] {
  const afterMs = numberOrNull(hedgeAfterMs);
  if (afterMs === null || Number.isNaN(afterMs) || candidates.length < 2) return [];
  return [
    `After ${waitWords(afterMs)} without a response, the next candidate is called in parallel. The first response wins, and both are charged.`,
  ];
}

function totalOf({ totalTimeoutMs }: RoutingDraft): string[] {
  const totalMs = numberOrNull(totalTimeoutMs);
  if (totalMs === null || Number.isNaN(totalMs)) return [];
  return [`After ${waitWords(totalMs)} without a first byte, the request fails.`];
}
