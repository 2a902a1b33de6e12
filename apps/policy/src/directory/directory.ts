import {
  createBoundedCache,
  singleFlight,
  type BoundedCache,
  type Clock,
  type SingleFlight,
} from '@tollgate/kit';

import { createKeyReads, type KeyReads, type KeyReadsDeps } from './key-reads';
import type { KeyPlan } from './plan';

export interface DirectoryDeps extends Pick<KeyReadsDeps, 'resolveKeys'> {
  readonly clock: Clock;
  readonly freshMs: number;
  readonly staleMs: number;
  readonly maxKeys: number;
  readonly onLookup: (result: 'hit' | 'miss' | 'negative' | 'stale') => void;
  readonly onError: (error: unknown) => void;
}

export interface Directory {
  /**
   * The key's plan, or `undefined` for a key that does not exist. Returns synchronously while the
   * cached plan is fresh. Rejects with UNAVAILABLE when the catalog is unreachable and no cached
   * plan is recent enough: that is never a refusal.
   */
  readonly lookup: (keySha256: Buffer) => KeyPlan | undefined | Promise<KeyPlan | undefined>;
  /** Drops one key, an organisation's keys, or everything; returns the number of dropped plans. */
  readonly drop: (selection: { organisationId?: string; keySha256?: Buffer }) => number;
  /** A change with this number has happened: older answers are no longer cached. */
  readonly sawChange: (seq: number) => void;
  /** Without a connected watch a plan is fresh for a second only. */
  readonly setWatched: (watched: boolean) => void;
  /** The catalog confirms that every change was received: the cache is up to date. */
  readonly confirm: () => void;
  readonly size: () => number;
}

type ReadOptions = Parameters<KeyReads['read']>[1];

interface Entry {
  readonly plan: KeyPlan;
  /** Digest of what the organisation's keys share. */
  readonly digest: string;
  readonly readAtMs: number;
  /** When the plan is read again even without a change. */
  readonly rereadAtMs: number;
}

const NEGATIVE_MS = 5_000;
const NEGATIVE_MAX = 10_000;
const UNWATCHED_FRESH_MS = 1_000;
const READS_MAX = 3;
// A hot key is refreshed shortly before its plan expires, so that no request waits for it.
const REFRESH_AHEAD = 0.7;
/** Plus or minus a quarter, so that plans read together are not read again together. */
const REREAD_MS = 600_000;

interface PlanCache extends DirectoryDeps {
  readonly known: BoundedCache<string, Entry>;
  /** Keys that do not exist, with the instant of that answer. */
  readonly unknown: BoundedCache<string, number>;
  readonly flight: SingleFlight<KeyPlan | undefined>;
  readonly reads: KeyReads;
  drops: number;
  changeSeq: number;
  watched: boolean;
  confirmedAtMs: number;
}

export function createDirectory(deps: DirectoryDeps): Directory {
  const { clock, resolveKeys } = deps;
  const cache: PlanCache = {
    ...deps,
    known: createBoundedCache({ max: deps.maxKeys }),
    unknown: createBoundedCache({ max: NEGATIVE_MAX }),
    flight: singleFlight(),
    reads: createKeyReads({ resolveKeys, changes: () => cache.drops, clock }),
    drops: 0,
    changeSeq: 0,
    watched: false,
    confirmedAtMs: 0,
  };
  return {
    lookup: (keySha256) => lookup(cache, keySha256),
    drop: (selection) => drop(cache, selection),
    sawChange: (seq) => {
      cache.changeSeq = Math.max(cache.changeSeq, seq);
    },
    setWatched: (now) => {
      cache.watched = now;
    },
    confirm: () => {
      cache.confirmedAtMs = clock.now();
    },
    size: () => cache.known.size(),
  };
}

function lookup(
  cache: PlanCache,
  keySha256: Buffer,
): KeyPlan | undefined | Promise<KeyPlan | undefined> {
  const key = keySha256.toString('latin1');
  const nowMs = cache.clock.now();
  const entry = cache.known.get(key);
  if (entry !== undefined) {
    const ageMs = nowMs - knownAtMs(cache, entry);
    const freshMs = cache.watched ? cache.freshMs : Math.min(cache.freshMs, UNWATCHED_FRESH_MS);
    if (ageMs >= freshMs) return renew(cache, key, keySha256, entry);
    if (ageMs > freshMs * REFRESH_AHEAD || nowMs > entry.rereadAtMs) {
      read(cache, key, keySha256, { digest: entry.digest, soon: true }).catch(cache.onError);
    }
    cache.onLookup('hit');
    return entry.plan;
  }
  const missedAtMs = cache.unknown.get(key);
  if (missedAtMs !== undefined && nowMs - missedAtMs < NEGATIVE_MS) {
    cache.onLookup('negative');
    return undefined;
  }
  cache.onLookup('miss');
  return readNow(cache, key, keySha256);
}

function knownAtMs(cache: PlanCache, { readAtMs }: Entry): number {
  return Math.max(readAtMs, cache.confirmedAtMs);
}

async function renew(cache: PlanCache, key: string, keySha256: Buffer, entry: Entry) {
  try {
    const plan = await readNow(cache, key, keySha256, { digest: entry.digest });
    cache.onLookup('miss');
    return plan;
  } catch (error) {
    if (cache.clock.now() - knownAtMs(cache, entry) > cache.staleMs) throw error;
    cache.onLookup('stale');
    return entry.plan;
  }
}

// A background refresh of the key may be queued; hurry sends it now.
function readNow(cache: PlanCache, key: string, keySha256: Buffer, options?: ReadOptions) {
  const reading = read(cache, key, keySha256, options);
  cache.reads.hurry(keySha256);
  return reading;
}

function read(cache: PlanCache, key: string, keySha256: Buffer, options?: ReadOptions) {
  return cache.flight(key, () => readCurrent(cache, key, keySha256, options));
}

// A reply that is older than a change is not cached but read again. When changes keep coming, the
// last reply serves this one request.
async function readCurrent(
  cache: PlanCache,
  key: string,
  keySha256: Buffer,
  options?: ReadOptions,
) {
  let plan: KeyPlan | undefined;
  for (let times = 0; times < READS_MAX; times += 1) {
    // After the first reading, a request may be waiting.
    const soon = times === 0 && options?.soon === true;
    const reading = await cache.reads.read(keySha256, { ...options, soon });
    plan = reading.plan;
    if (reading.changesBefore !== cache.drops || reading.outboxSeq < cache.changeSeq) continue;
    if (plan === undefined) {
      cache.known.delete(key);
      cache.unknown.set(key, cache.clock.now());
    } else {
      cache.unknown.delete(key);
      cache.known.set(key, entryOf(plan, reading.digest, cache.clock.now()));
    }
    return plan;
  }
  return plan;
}

function entryOf(plan: KeyPlan, digest: string, readAtMs: number): Entry {
  return {
    plan,
    digest,
    readAtMs,
    rereadAtMs: readAtMs + REREAD_MS * (0.75 + Math.random() / 2),
  };
}

function drop(
  cache: PlanCache,
  { organisationId, keySha256 }: Parameters<Directory['drop']>[0],
): number {
  cache.drops += 1;
  if (keySha256 !== undefined && keySha256.length > 0) {
    const key = keySha256.toString('latin1');
    cache.unknown.delete(key);
    return cache.known.delete(key) ? 1 : 0;
  }
  cache.unknown.clear();
  if (organisationId !== undefined && organisationId !== '') {
    return cache.known.deleteWhere(({ plan }) => plan.organisationId === organisationId);
  }
  const dropped = cache.known.size();
  cache.known.clear();
  return dropped;
}
