import type { Undo } from '../undoing';
import { memoryOfAll } from './accounting';
import { boot, type Booted, type BootOptions } from './boot';
import type { Target } from './target';
import { copyKey, grownKeys, makeTenant, type Grown } from './tenant';

/** Tollgate as deployed: edge, policy, Redis, catalog and PostgreSQL, with every limit. */

export interface Tollgate
  extends Target, Pick<Booted, 'edgeOpsUrl' | 'moreEdge' | 'policyHttpUrl'> {
  /** Keys of the organisation, all with the same grants. */
  readonly keys: readonly string[];
  /** Takes this many unused keys; throws when there are too few. */
  readonly freshKeys: (count: number) => readonly string[];
  /** Keys of organisations with many of one thing; empty unless requested. */
  readonly grown: Readonly<Record<Grown, readonly string[]>>;
  /** A key whose own budget is spent. */
  readonly poorKey: string;
  readonly catalogUrl: string;
  /** The log file of each service, by name. */
  readonly logs: Readonly<Record<string, string>>;
  /** Records booked so far. */
  readonly booked: () => Promise<number>;
}

export interface TollgateOptions extends BootOptions {
  readonly upstreamUrl: string;
  readonly keys: number;
  /** Unused keys for `freshKeys` (default 0). */
  readonly fresh?: number;
  /** What to create many of (default: nothing). */
  readonly grown?: readonly Grown[];
}

export async function startTollgate(
  { upstreamUrl, keys, fresh = 0, grown = [], ...options }: TollgateOptions,
  undo: Undo,
): Promise<Tollgate> {
  const booted = await boot(options, undo);
  const { catalog, catalogUrl, edge, policy, pool, postgresPid, redisPid, rest } = booted;
  const pids = {
    edge: edge.process().pid,
    policy: policy.process().pid,
    redis: redisPid,
    catalog: catalog.process().pid,
    ...(postgresPid === undefined ? {} : { postgres: postgresPid }),
  };
  const made = await makeTenant(rest, upstreamUrl);
  // Before the catalog has written 100,000 keys.
  const idleBytes = memoryOfAll(pids);
  const copies = await copyKey(pool, made.keyId, keys - 1);
  const unsent = await copyKey(pool, made.keyId, fresh);
  const keysGrown = await grownKeys(rest, upstreamUrl, grown);
  return {
    name: 'tollgate',
    url: booted.edgeUrl,
    headers: { authorization: `Bearer ${made.key}` },
    pids,
    idleBytes,
    gateway: 'edge',
    edgeOpsUrl: booted.edgeOpsUrl,
    policyHttpUrl: booted.policyHttpUrl,
    moreEdge: booted.moreEdge,
    translates: true,
    keys: [made.key, ...copies],
    freshKeys: (count) => {
      if (unsent.length < count) throw new RangeError(`${String(count)} fresh keys are too many`);
      return unsent.splice(0, count);
    },
    grown: keysGrown,
    poorKey: made.poorKey,
    catalogUrl,
    logs: booted.logs,
    booked: booted.booked,
  };
}
