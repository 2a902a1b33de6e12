// Selects the provider key for a call: by weight, skipping keys that the provider has just refused
// while another is usable.

import { affinityScore, itemHash } from '@tollgate/contracts';

/** One of the provider's own keys. Never logged, because it holds the secret. */
export interface UpstreamKey {
  apiKeyId: string;
  name: string;
  value: string;
  weight: number;
}

/** How long a key rests after an authentication, billing or permission error. */
const REFUSED_MS = 300_000;
/** How long a key rests after a rate limit without `Retry-After`. */
const RATE_LIMITED_MS = 30_000;
const RATE_LIMITED_MOST_MS = 3_600_000;
/** Limit of models for which one key rests; beyond it, the key rests for all models. */
const MODELS_MOST = 64;

const REFUSALS = new Set([401, 402, 403, 429]);
/** The key itself or its account is at fault, whatever the model. */
const REFUSALS_FOR_ALL = new Set([401, 402]);
/** The entry for all models. */
const ALL = '';

export interface Keys {
  /**
   * The index of the key for the next call; 0 if the provider needs none. If all keys rest, the one
   * whose rest ends first. Undefined: all were tried. The turns of one conversation (`affinity`) get the
   * same key while it is usable, because providers cache prompts by account; other requests are drawn.
   */
  draw: (
    model: string,
    draw: number,
    tried: ReadonlySet<number> | undefined,
    affinity?: Buffer,
  ) => number | undefined;
  /**
   * Notes the status of a call with this key.
   * @returns whether another key is worth a try
   */
  refused: (index: number, model: string, status: number, retryAfterMs?: number) => boolean;
  /** How long all keys rest; undefined: one is usable, or there is only one. */
  freeInMs: (model: string) => number | undefined;
}

/** The keys of one connection version. Their rests end with that version. */
export function createKeys(keys: readonly UpstreamKey[], nowMs: () => number): Keys {
  const rests = keys.map(() => new Map<string, number>());
  const hashes = keys.map(({ apiKeyId }) => itemHash(apiKeyId));

  const restsUntil = (index: number, model: string): number => {
    const rest = rests[index];
    return rest ? Math.max(rest.get(ALL) ?? 0, rest.get(model) ?? 0) : 0;
  };

  const draw: Keys['draw'] = (model, chance, tried, affinity) => {
    if (keys.length < 2) return tried?.has(0) ? undefined : 0;
    const now = nowMs();
    const left = [...keys.keys()].filter((index) => !tried?.has(index));
    const ready = left.filter((index) => restsUntil(index, model) <= now);
    if (ready.length > 0) return affinity ? preferred(ready, affinity) : byWeight(ready, chance);
    // On the first try a resting key is better than none. On a retry the last failure is better.
    if (tried) return undefined;
    return left.reduce((a, b) => (restsUntil(b, model) < restsUntil(a, model) ? b : a));
  };

  const byWeight = (indexes: readonly number[], chance: number): number => {
    const weightOf = (index: number): number => keys[index]?.weight ?? 0;
    let left = chance * indexes.reduce((sum, index) => sum + weightOf(index), 0);
    for (const index of indexes) {
      left -= weightOf(index);
      if (left < 0) return index;
    }
    return indexes.at(-1) ?? 0;
  };

  const preferred = (indexes: readonly number[], affinity: Buffer): number => {
    let [best = 0] = indexes;
    let most = -1;
    for (const index of indexes) {
      const score = affinityScore(affinity, hashes[index] ?? 0, keys[index]?.weight ?? 0);
      if (score > most) [best, most] = [index, score];
    }
    return best;
  };

  const refused: Keys['refused'] = (index, model, status, retryAfterMs) => {
    if (keys.length < 2 || !REFUSALS.has(status)) return false;
    const wait = status === 429 ? (retryAfterMs ?? RATE_LIMITED_MS) : REFUSED_MS;
    const until = nowMs() + Math.min(wait, RATE_LIMITED_MOST_MS);
    rest(index, REFUSALS_FOR_ALL.has(status) ? ALL : model, until);
    return true;
  };

  const rest = (index: number, model: string, untilMs: number): void => {
    const models = rests[index];
    if (!models) return;
    const now = nowMs();
    for (const [name, until] of models) if (until <= now) models.delete(name);
    const full = models.size >= MODELS_MOST && !models.has(model);
    models.set(full ? ALL : model, untilMs);
  };

  const freeInMs: Keys['freeInMs'] = (model) => {
    if (keys.length < 2) return undefined;
    const soonest = Math.min(...keys.map((_, index) => restsUntil(index, model)));
    const left = soonest - nowMs();
    return left > 0 ? left : undefined;
  };

  return { draw, refused, freeInMs };
}
