// Which of a provider's own keys a call uses: by weight, but not one that the provider has just
// refused while another may do.

/** One of the provider's own keys. Never logged: it holds the secret. */
export type UpstreamKey = { apiKeyId: string; name: string; value: string; weight: number };

/** How long a key rests that was refused as such, or for lack of rights. */
const REFUSED_MS = 300_000;
/** How long a key rests that has called too often, where the provider does not say. */
const RATE_LIMITED_MS = 30_000;
const RATE_LIMITED_MOST_MS = 3_600_000;
/** Models for which one key rests at a time; more than that, and it rests for all. */
const MODELS_MOST = 64;

const REFUSALS = new Set([401, 403, 429]);
/** Stands for every model. */
const ALL = '';

export type Keys = {
  /**
   * The index of the key for the next call; 0 where the provider wants none. Where all rest, the one
   * that rests no longer soonest. Undefined: each has been tried.
   */
  draw: (model: string, draw: number, tried: ReadonlySet<number> | undefined) => number | undefined;
  /**
   * A call with the key was answered with this status.
   * @returns whether another key is worth a try
   */
  refused: (index: number, model: string, status: number, retryAfterMs?: number) => boolean;
  /** How long all keys rest; undefined: one is free, or there are no two of them. */
  freeInMs: (model: string) => number | undefined;
};

/** The keys of one version of a connection, whose rests end with it. */
export function createKeys(keys: readonly UpstreamKey[], nowMs: () => number): Keys {
  const rests = keys.map(() => new Map<string, number>());

  const restsUntil = (index: number, model: string): number => {
    const rest = rests[index];
    return rest ? Math.max(rest.get(ALL) ?? 0, rest.get(model) ?? 0) : 0;
  };

  const draw: Keys['draw'] = (model, chance, tried) => {
    if (keys.length < 2) return tried?.has(0) ? undefined : 0;
    const now = nowMs();
    const left = [...keys.keys()].filter((index) => !tried?.has(index));
    const ready = left.filter((index) => restsUntil(index, model) <= now);
    if (ready.length > 0) return byWeight(ready, chance);
    // One that rests is better than none, but not than what the last one was told.
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

  const refused: Keys['refused'] = (index, model, status, retryAfterMs) => {
    if (keys.length < 2 || !REFUSALS.has(status)) return false;
    const wait = status === 429 ? (retryAfterMs ?? RATE_LIMITED_MS) : REFUSED_MS;
    const until = nowMs() + Math.min(wait, RATE_LIMITED_MOST_MS);
    // What is not this model's fault is the key's: it would fare no better with another.
    rest(index, status === 401 ? ALL : model, until);
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
