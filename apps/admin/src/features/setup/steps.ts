import type { rest } from '@tollgate/contracts';

import { mayCall } from '../api-keys/useless-key';

// Which steps of the set-up are done, from what the catalog has. Pure.

export const STEPS = [
  { id: 'provider', title: 'Connect a provider' },
  { id: 'models', title: 'Choose models with prices' },
  { id: 'key', title: 'Create an API key' },
  { id: 'request', title: 'Send the first request' },
] as const;
export type StepId = (typeof STEPS)[number]['id'];

type Provider = Pick<rest.Provider, 'apiKeys' | 'id' | 'name' | 'status' | 'type'>;
type Model = Pick<rest.Model, 'currentPrice' | 'id' | 'name' | 'providerId' | 'status' | 'type'>;
type Key = Pick<rest.ApiKey, 'id' | 'modelGrants' | 'modelIds' | 'name' | 'status'>;
type UsageRecord = Pick<rest.UsageRecord, 'id' | 'outcome'>;

interface Facts<P, M, K, R> {
  readonly providers: readonly P[];
  readonly models: readonly M[];
  readonly keys: readonly K[];
  /** Completed requests, newest first. */
  readonly records: readonly R[];
}

export interface Setup<P, M, K, R> {
  /** Those that can be called: on, and with a key that is on if they have keys. */
  readonly providers: readonly P[];
  /** Those that are on, of such a provider. */
  readonly models: readonly M[];
  /** Those that may call such a model. */
  readonly keys: readonly K[];
  /** Active keys that may call none of them. */
  readonly uselessKeys: readonly K[];
  /** The names of all providers. */
  readonly names: readonly string[];
  readonly served: R | undefined;
  readonly done: Readonly<Record<StepId, boolean>>;
  /** The first step that is not done; undefined: the set-up is complete. */
  readonly current: StepId | undefined;
}

export function setupOf<P extends Provider, M extends Model, K extends Key, R extends UsageRecord>(
  facts: Facts<P, M, K, R>,
): Setup<P, M, K, R> {
  const providers = facts.providers.filter(isReachable);
  const reachable = new Set(providers.map(({ id }) => id));
  const models = facts.models.filter(
    ({ status, providerId }) => status === 'ACTIVE' && reachable.has(providerId),
  );
  const active = facts.keys.filter(({ status }) => status === 'ACTIVE');
  const isUsable = (key: K): boolean => models.some((model) => mayCall(key, model));
  const keys = active.filter(isUsable);
  const served = facts.records.find(({ outcome }) => outcome === 'COMPLETED');
  const done = {
    provider: providers.length > 0,
    models: models.length > 0,
    key: keys.length > 0,
    request: served !== undefined,
  };
  const current = STEPS.find(({ id }) => !done[id])?.id;
  const uselessKeys = active.filter((key) => !isUsable(key));
  const names = facts.providers.map(({ name }) => name);
  return { providers, models, keys, uselessKeys, names, served, done, current };
}

function isReachable({ status, apiKeys }: Provider): boolean {
  return (
    status === 'ACTIVE' && (apiKeys.length === 0 || apiKeys.some((key) => key.status === 'ACTIVE'))
  );
}

/** A name that no other provider has: "OpenAI", "OpenAI 2". */
export function freeName(wanted: string, taken: readonly string[]): string {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? wanted : `${wanted} ${String(number)}`;
    if (!taken.includes(name)) return name;
  }
}
