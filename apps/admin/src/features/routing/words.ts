import type { FailoverTrigger, RoutingStrategy } from '@tollgate/contracts';
import { numberOrNull } from '../../resource/typed';
import { waitWords } from '../providers/wait-words';
import type { RoutingDraft } from './draft';

// What a policy does, in words for who makes it.

export const STRATEGY_WORDS: Readonly<Record<RoutingStrategy, { label: string; note: string }>> = {
  failover: { label: 'Failover', note: 'One after another, in the order of the list' },
  priority: { label: 'Priority', note: 'By numbers of your own, the lowest first' },
  round_robin: { label: 'Round robin', note: 'Each in its turn, evenly' },
  weighted: { label: 'Weighted', note: 'Shares of the requests by weight' },
  lowest_latency: { label: 'Lowest latency', note: 'Whoever has answered soonest lately' },
  lowest_cost: { label: 'Lowest cost', note: 'Whoever is cheapest for the request' },
};

export const TRIGGER_WORDS: Readonly<Record<FailoverTrigger, { label: string; note: string }>> = {
  '5xx': { label: 'It fails', note: 'errors of its own, no connection, an answer cut short' },
  timeout: { label: 'It is too slow', note: 'one of the times below is over' },
  rate_limit: { label: 'It limits', note: 'its own rate limits refuse' },
  any: { label: 'Whatever it is', note: 'also when it says that the request is wrong' },
};

/** How the first candidate is chosen, and what comes behind it. */
const CHOOSES: Readonly<Record<RoutingStrategy, string>> = {
  failover:
    'A request goes to the model that it names, or to the first of the list when it names the policy; the next ones in the list come behind it.',
  priority:
    'A request goes to the candidate with the lowest priority number; among equal numbers the order of the list decides.',
  round_robin:
    'Requests of a key go to the candidates in turn, evenly, over all gateways together.',
  weighted: 'Each candidate gets the share of requests that its weight has of all weights.',
  lowest_latency:
    'A request goes to the candidate that has lately been soonest with its first token; now and then one goes to a candidate that nobody knows yet.',
  lowest_cost:
    'A request goes to the candidate that is cheapest for it, by its size and today’s prices.',
};

/** What a policy does, a sentence each; `nameOf` a model. */
export function explained(draft: RoutingDraft, nameOf: (modelId: string) => string): string[] {
  const { strategy, candidates, failoverTriggers } = draft;
  return [
    CHOOSES[strategy],
    ...(strategy === 'weighted' ? sharesOf(draft, nameOf) : []),
    'Candidates that the key may not use, that cannot do what the request needs, or that rest after failures are left out.',
    ...(candidates.length < 2
      ? ['With one candidate there is no other to go to when it fails.']
      : [nextOf(failoverTriggers)]),
    ...retriesOf(draft),
    ...hedgeOf(draft),
    ...totalOf(draft),
    ...(draft.active ? [] : ['It is off: keys that have it use the named model alone.']),
  ];
}

function sharesOf({ candidates }: RoutingDraft, nameOf: (modelId: string) => string): string[] {
  const weights = candidates.map(({ weight }) => numberOrNull(weight) ?? Number.NaN);
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  // While a weight is being typed there are no shares to tell.
  if (candidates.length === 0 || Number.isNaN(all) || all === 0) return [];
  const shares = candidates.map(
    ({ modelId }, index) =>
      `${nameOf(modelId)} ${String(Math.round((100 * (weights[index] ?? 0)) / all))} %`,
  );
  return [`Now that is ${shares.join(', ')}.`];
}

function nextOf(triggers: readonly FailoverTrigger[]): string {
  if (triggers.length === 0) {
    return 'When it fails, its failure is the answer: no other candidate is tried.';
  }
  if (triggers.includes('any')) {
    return 'Whatever it fails with, the next candidate is tried, as long as the client has had nothing yet.';
  }
  const when = triggers.map((trigger) => WHEN[trigger]).join(', or ');
  return `When ${when}, the next candidate is tried, as long as the client has had nothing yet.`;
}

const WHEN: Readonly<Record<FailoverTrigger, string>> = {
  '5xx': 'it fails',
  timeout: 'it is too slow',
  rate_limit: 'it limits requests itself',
  any: 'it fails in any way',
};

function retriesOf({ retries }: RoutingDraft): string[] {
  const times = numberOrNull(retries);
  if (times === null || Number.isNaN(times) || times === 0) return [];
  const often = times === 1 ? 'once more' : `up to ${String(times)} times more`;
  return [`The same candidate is tried ${often} first where that is safe.`];
}

function hedgeOf({ hedgeAfterMs, candidates }: RoutingDraft): string[] {
  const afterMs = numberOrNull(hedgeAfterMs);
  if (afterMs === null || Number.isNaN(afterMs) || candidates.length < 2) return [];
  return [
    `After ${waitWords(afterMs)} of silence the next one is called beside it; the first answer wins, and both are paid for.`,
  ];
}

function totalOf({ totalTimeoutMs }: RoutingDraft): string[] {
  const totalMs = numberOrNull(totalTimeoutMs);
  if (totalMs === null || Number.isNaN(totalMs)) return [];
  return [`After ${waitWords(totalMs)} without a first byte the request is given up.`];
}
