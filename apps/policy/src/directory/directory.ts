import { createBoundedCache, singleFlight, type Clock } from '@tollgate/kit';

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

export function createDirectory(deps: DirectoryDeps): Directory {
  const { clock } = deps;
  const known = createBoundedCache<string, Entry>({ max: deps.maxKeys });
  const unknown = createBoundedCache<string, number>({ max: NEGATIVE_MAX });
  const flight = singleFlight<KeyPlan | undefined>();
  let drops = 0;
  let changeSeq = 0;
  let watched = false;
  let confirmedAtMs = 0;
  const reads = createKeyReads({ resolveKeys: deps.resolveKeys, changes: () => drops, clock });

  const lookup = (keySha256: Buffer): KeyPlan | undefined | Promise<KeyPlan | undefined> => {
    const key = keySha256.toString('latin1');
    const nowMs = clock.now();
    const entry = known.get(key);
    if (entry !== undefined) {
      const ageMs = nowMs - knownAtMs(entry);
      const freshMs = watched ? deps.freshMs : Math.min(deps.freshMs, UNWATCHED_FRESH_MS);
      if (ageMs >= freshMs) return renew(key, keySha256, entry);
      if (ageMs > freshMs * REFRESH_AHEAD || nowMs > entry.rereadAtMs) {
        read(key, keySha256, { digest: entry.digest, soon: true }).catch(deps.onError);
      }
      deps.onLookup('hit');
      return entry.plan;
    }
    const missedAtMs = unknown.get(key);
    if (missedAtMs !== undefined && nowMs - missedAtMs < NEGATIVE_MS) {
      deps.onLookup('negative');
      return undefined;
    }
    deps.onLookup('miss');
    return readNow(key, keySha256);
  };

  const knownAtMs = ({ readAtMs }: Entry): number => Math.max(readAtMs, confirmedAtMs);

  const renew = async (key: string, keySha256: Buffer, entry: Entry) => {
    try {
      const plan = await readNow(key, keySha256, { digest: entry.digest });
      deps.onLookup('miss');
      return plan;
    } catch (error) {
      if (clock.now() - knownAtMs(entry) > deps.staleMs) throw error;
      deps.onLookup('stale');
      return entry.plan;
    }
  };

  // A background refresh of the key may be queued; hurry sends it now.
  const readNow = (key: string, keySha256: Buffer, options?: ReadOptions) => {
    const reading = read(key, keySha256, options);
    reads.hurry(keySha256);
    return reading;
  };

  const read = (key: string, keySha256: Buffer, options?: ReadOptions) =>
    flight(key, () => readCurrent(key, keySha256, options));

  // A reply that is older than a change is not cached but read again. When changes keep coming, the
  // last reply serves this one request.
  const readCurrent = async (key: string, keySha256: Buffer, options?: ReadOptions) => {
    let plan: KeyPlan | undefined;
    for (let times = 0; times < READS_MAX; times += 1) {
      // After the first reading, a request may be waiting.
      const soon = times === 0 && options?.soon === true;
      const reading = await reads.read(keySha256, { ...options, soon });
      plan = reading.plan;
      if (reading.changesBefore !== drops || reading.outboxSeq < changeSeq) continue;
      if (plan === undefined) {
        known.delete(key);
        unknown.set(key, clock.now());
      } else {
        unknown.delete(key);
        known.set(key, entryOf(plan, reading.digest));
      }
      return plan;
    }
    return plan;
  };

  const entryOf = (plan: KeyPlan, digest: string): Entry => {
    const readAtMs = clock.now();
    return {
      plan,
      digest,
      readAtMs,
      rereadAtMs: readAtMs + REREAD_MS * (0.75 + Math.random() / 2),
    };
  };

  const drop: Directory['drop'] = ({ organisationId, keySha256 }) => {
    drops += 1;
    if (keySha256 !== undefined && keySha256.length > 0) {
      const key = keySha256.toString('latin1');
      unknown.delete(key);
      return known.delete(key) ? 1 : 0;
    }
    unknown.clear();
    if (organisationId !== undefined && organisationId !== '') {
      return known.deleteWhere(({ plan }) => plan.organisationId === organisationId);
    }
    const dropped = known.size();
    known.clear();
    return dropped;
  };

  return {
    lookup,
    drop,
    sawChange: (seq) => {
      changeSeq = Math.max(changeSeq, seq);
    },
    setWatched: (now) => {
      watched = now;
    },
    confirm: () => {
      confirmedAtMs = clock.now();
    },
    size: () => known.size(),
  };
}
