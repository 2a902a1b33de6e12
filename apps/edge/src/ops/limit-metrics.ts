import { isOneOf, VALUE_SCOPES } from '@tollgate/contracts';
import type { LimitState__Output, ValidateKeyReply__Output } from '@tollgate/contracts/node';
import type { Metrics, Reading } from '@tollgate/kit';

/** Gauges of limits that are nearly spent, as decisions report them. */
export interface LimitMetrics {
  /** @param keySha256 the key whose request was decided; undefined: no key has these limits, so none is asked about them */
  limitsSeen: (limits: readonly LimitState__Output[], keySha256: Uint8Array | undefined) => void;
  /**
   * Asks about the reported limits that no decision has read for a minute, by the key of the last one.
   * @throws the first error of `ask`, after all keys; the values of that key stay, and a later call asks again
   */
  refreshLimits: (ask: AskKey) => Promise<void>;
}

export type AskKey = (
  keySha256: Buffer,
) => Promise<Pick<ValidateKeyReply__Output, 'limits' | 'valid'>>;

export interface LimitMetricsOptions {
  /** The most limits that are reported; 0: none. */
  top: number;
  /** The used part from which a limit is reported, in percent. */
  fromPercent: number;
  /** Milliseconds since the epoch. */
  wallMs: () => number;
}

type Labels = Record<
  'kind' | 'limit' | 'scope' | 'scope_id' | 'metric' | 'window' | 'mode',
  string
>;

interface Spent {
  labels: Labels;
  remaining: number;
  /** 0: never. */
  resetsAtMs: number;
  keySha256: Uint8Array | undefined;
  seenAtMs: number;
  /** 0: not since it was seen. */
  askedAtMs: number;
}

const UNSEEN_MS = 60_000;
/** The most keys that one refresh asks about; the limits that wait for longest come first. */
const KEYS_ASKED = 20;

/**
 * Reads the limits of each decision, so a scrape asks nobody. A limit is reported until it is found below
 * the threshold, its window ends, or its key no longer has it. A limit without decisions is asked about
 * now and then: it may have been raised, switched off or deleted. Rates are left out: they are free again
 * within a minute.
 */
export function createLimitMetrics(
  metrics: Metrics,
  { top, fromPercent, wallMs }: LimitMetricsOptions,
): LimitMetrics {
  if (top === 0) return { limitsSeen: () => undefined, refreshLimits: async () => undefined };
  const spent = new Map<string, Spent>();

  function dropEnded(): void {
    const now = wallMs();
    for (const [id, { resetsAtMs }] of spent) {
      if (resetsAtMs > 0 && resetsAtMs <= now) spent.delete(id);
    }
  }

  function seen(limit: LimitState__Output, keySha256: Uint8Array | undefined): void {
    if ((limit.kind !== 'BUDGET' && limit.kind !== 'QUOTA') || limit.remaining === '') return;
    // Each value has an amount of its own.
    if (isOneOf(VALUE_SCOPES, limit.scopeType)) return;
    const whole = Number(limit.limit);
    const left = Number(limit.remaining);
    if (left * 100 > whole * (100 - fromPercent)) return void spent.delete(limit.limitId);
    const remaining = whole > 0 ? left / whole : 0;
    const known = spent.get(limit.limitId);
    const { resetsAtMs } = limit;
    const now = { remaining, resetsAtMs, keySha256, seenAtMs: wallMs(), askedAtMs: 0 };
    if (known) {
      Object.assign(known, now);
      if (!isLabelled(known.labels, limit)) known.labels = labelsOf(limit);
      return;
    }
    if (spent.size >= top) dropEnded();
    if (spent.size >= top && !makePlace(spent, remaining)) return;
    spent.set(limit.limitId, { labels: labelsOf(limit), ...now });
  }

  async function refreshLimits(ask: AskKey): Promise<void> {
    dropEnded();
    const failures: unknown[] = [];
    for (const key of unseen(spent, wallMs()).slice(0, KEYS_ASKED)) {
      // A key that cannot be answered must not keep the others waiting.
      await refreshKey(key, ask).catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }

  async function refreshKey({ keySha256, due }: UnseenKey, ask: AskKey): Promise<void> {
    for (const one of due.keys()) one.askedAtMs = wallMs();
    const { limits, valid } = await ask(keySha256);
    const has = new Map(valid ? limits.map((limit) => [limit.limitId, limit]) : []);
    for (const [one, { id, seenAtMs }] of due) {
      // A decision in the meantime knows better.
      if (spent.get(id) !== one || one.seenAtMs !== seenAtMs) continue;
      const limit = has.get(id);
      if (limit) seen(limit, keySha256);
      else spent.delete(id);
    }
  }

  metrics.gaugeReadings(
    'tollgate_limit_remaining_ratio',
    'What is left of the budgets and quotas that are used above METRICS_LIMITS_FROM, from 0 to 1, by the last decision, or by asking policy after a minute without one; the METRICS_LIMITS_TOP with the least left.',
    ['kind', 'limit', 'scope', 'scope_id', 'metric', 'window', 'mode'],
    'min',
    (): Reading[] => {
      dropEnded();
      return [...spent.values()].map(({ labels, remaining }) => ({ labels, value: remaining }));
    },
  );

  return {
    limitsSeen: (limits, keySha256) => {
      for (const limit of limits) seen(limit, keySha256);
    },
    refreshLimits,
  };
}

function labelsOf(limit: LimitState__Output): Labels {
  const { kind, limitId, metric, mode, scopeId, scopeType } = limit;
  const scope = { scope: scopeType, scope_id: scopeId };
  return { kind, limit: limitId, ...scope, metric, window: windowOf(limit), mode };
}

/** A limit may change its window and its mode. */
function isLabelled({ mode, window }: Labels, limit: LimitState__Output): boolean {
  return mode === limit.mode && window === windowOf(limit);
}

function windowOf({ period, windowSeconds }: LimitState__Output): string {
  return period || `${windowSeconds}s`;
}

interface UnseenKey {
  readonly keySha256: Buffer;
  readonly due: ReadonlyMap<Spent, { readonly id: string; readonly seenAtMs: number }>;
}

/** The keys of limits that were neither seen nor asked about for some time, with these limits; the oldest first. */
function unseen(spent: ReadonlyMap<string, Spent>, now: number): UnseenKey[] {
  const keys = new Map<
    string,
    UnseenKey & { readonly due: Map<Spent, { id: string; seenAtMs: number }> }
  >();
  const lastMs = ({ askedAtMs, seenAtMs }: Spent): number => Math.max(askedAtMs, seenAtMs);
  const old = [...spent].filter(([, one]) => now - lastMs(one) >= UNSEEN_MS);
  old.sort(([, a], [, b]) => lastMs(a) - lastMs(b));
  for (const [id, one] of old) {
    if (one.keySha256 === undefined) continue;
    const key = Buffer.from(one.keySha256);
    const hex = key.toString('hex');
    const known = keys.get(hex) ?? { keySha256: key, due: new Map() };
    known.due.set(one, { id, seenAtMs: one.seenAtMs });
    keys.set(hex, known);
  }
  return [...keys.values()];
}

/** Removes the limit with the most left, if that is more than `remaining`. */
function makePlace(spent: Map<string, Spent>, remaining: number): boolean {
  let loosest: string | undefined;
  let left = remaining;
  for (const [id, each] of spent) {
    if (each.remaining > left) [loosest, left] = [id, each.remaining];
  }
  return loosest !== undefined && spent.delete(loosest);
}
