import type { rest } from '@tollgate/contracts';

import { showUsd } from '../../format/money';
import { plural } from '../../format/numbers';
import { sentence } from '../../format/words';
import { forecastUsd, usedPart } from '../limits/forecast';
import { limitWords } from '../limits/limit-words';

// What an administrator has to look at, from the lists that exist anyway. Pure.

export interface Need {
  readonly id: string;
  readonly tone: 'bad' | 'warn';
  readonly what: string;
  readonly why: string;
  readonly action: {
    readonly label: string;
    /** Below the organisation. */
    readonly page: string;
    readonly query?: Readonly<Record<string, string>>;
  };
}

interface Known {
  readonly refused: readonly rest.RefusedRequest[];
  readonly budgets: readonly rest.Budget[];
  readonly models: readonly Pick<rest.Model, 'id' | 'name' | 'currentPrice' | 'status'>[];
  /** Requests of the same span by model. */
  readonly requestsOf: ReadonlyMap<string, number>;
  readonly upstreams: readonly Pick<rest.UpstreamStatus, 'modelId' | 'state'>[];
  /** Alerts that nobody has seen, and whether there are more. */
  readonly unseenAlerts: { readonly count: number; readonly more: boolean };
  readonly nowMs: number;
}

/** Codes that say something of the provider and not of the key. */
const FAILING: readonly string[] = ['upstream_error', 'upstream_timeout'];

/** The most urgent first. */
export function needsOf(known: Known): readonly Need[] {
  return [
    ...unseen(known.unseenAlerts),
    ...refusedProviders(known.refused),
    ...refusedKeys(known.refused),
    ...failingProviders(known.refused),
    ...failingModels(known),
    ...unpriced(known),
    ...spentSoon(known.budgets, known.nowMs),
  ];
}

function unseen({ count, more }: Known['unseenAlerts']): Need[] {
  if (count === 0) return [];
  return [
    {
      id: 'alerts',
      tone: 'warn',
      what: `${more ? 'More than ' : ''}${plural(count, 'alert')} not seen`,
      why: 'Your alert rules raised them.',
      action: { label: 'Open the alerts', page: 'alerts', query: { seen: 'false' } },
    },
  ];
}

function refusedProviders(refused: Known['refused']): Need[] {
  return byProvider(refused, ['provider_auth_failed']).map(({ id, name, count }) => ({
    id: `auth ${id}`,
    tone: 'bad',
    what: `${name} rejects its API key`,
    why: `${plural(count, 'request')} failed. The key is wrong, or the account has no credit.`,
    action: { label: 'Replace the key', page: `providers/${id}` },
  }));
}

function failingProviders(refused: Known['refused']): Need[] {
  return byProvider(refused, FAILING).map(({ id, name, count }) => ({
    id: `failing ${id}`,
    tone: 'warn',
    what: `${name} fails`,
    why: `${plural(count, 'request')} ended with an error of the upstream.`,
    action: { label: 'Open its health', page: `providers/${id}`, query: { tab: 'health' } },
  }));
}

function byProvider(refused: Known['refused'], codes: readonly string[]) {
  const sums = new Map<string, { id: string; name: string; count: number }>();
  for (const { code, provider, count } of refused) {
    if (provider === null || !codes.includes(code)) continue;
    const { id, name } = provider;
    const before = sums.get(id)?.count ?? 0;
    sums.set(id, { id, name: name ?? 'A deleted provider', count: before + count });
  }
  return [...sums.values()];
}

/** One need a key, for what it is refused for most. */
function refusedKeys(refused: Known['refused']): Need[] {
  const needs = new Map<string, Need>();
  for (const { apiKey, code, limit, model, count } of refused) {
    if (apiKey === null || needs.has(apiKey.id)) continue;
    if (code === 'provider_auth_failed' || FAILING.includes(code)) continue;
    const of = model === null ? '' : ` for model ${model.name}`;
    needs.set(apiKey.id, {
      id: `key ${apiKey.id}`,
      tone: limit === null ? 'warn' : 'bad',
      what: `${apiKey.name ?? 'A deleted key'} is refused`,
      why: `${plural(count, 'request')} refused with ${code}${of}${
        limit === null ? '' : `: ${limitWords(limit)}`
      }.`,
      action: { label: 'See why', page: `apikeys/${apiKey.id}` },
    });
  }
  return [...needs.values()];
}

function failingModels({ upstreams, models }: Known): Need[] {
  return upstreams
    .filter(({ state }) => state === 'OPEN')
    .map(({ modelId }) => ({
      id: `upstream ${modelId}`,
      tone: 'warn',
      what: `Routing skips ${models.find(({ id }) => id === modelId)?.name ?? 'a model'}`,
      why: 'Its upstream failed too often.',
      action: { label: 'Open upstream health', page: 'upstreams' },
    }));
}

function unpriced({ models, requestsOf }: Known): Need[] {
  return models.flatMap(({ id, name, currentPrice, status }): Need[] => {
    const requests = requestsOf.get(id) ?? 0;
    if (currentPrice !== null || status !== 'ACTIVE' || requests === 0) return [];
    return [
      {
        id: `price ${id}`,
        tone: 'warn',
        what: `${name} has no price`,
        why: `${plural(requests, 'request')} cost nothing, and limits of money refuse it.`,
        action: { label: 'Set a price', page: `models/${id}` },
      },
    ];
  });
}

function spentSoon(budgets: Known['budgets'], nowMs: number): Need[] {
  return budgets.flatMap((budget): Need[] => {
    const { id, period, limitUsd, scope } = budget;
    const name = `${sentence(period)} budget of ${showUsd(limitUsd)}`;
    const action = {
      label: 'Open the budget',
      page: 'budgets',
      query: { scopeType: scope.type, scopeId: scope.id },
    };
    if (usedPart(budget.spentUsd, limitUsd) >= 1) {
      const why = 'Nothing is left until its window ends.';
      return [{ id: `budget ${id}`, tone: 'bad', what: `${name} is spent`, why, action }];
    }
    const forecast = forecastUsd(budget, nowMs);
    if (forecast === undefined || usedPart(forecast, limitUsd) <= 1) return [];
    const why = `At this pace it comes to ${showUsd(forecast)} before its window ends.`;
    const what = `${name} will not last`;
    return [{ id: `budget ${id}`, tone: 'warn', what, why, action }];
  });
}
