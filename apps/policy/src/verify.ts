/**
 * `node dist/verify.js`: reads the output of the catalog's verification on stdin and compares it
 * with the live store: every known counter equals its window, no entry waits to be booked, no hold
 * and no float has outlived its lease. Prints one line of JSON; exit code 0 when they agree, 1 when
 * not.
 */
import { text } from 'node:stream/consumers';
import { SHARDS } from '@tollgate/contracts';
import { ConfigError, createLogger } from '@tollgate/kit';
import { z } from 'zod';

import { loadStoreConfig } from './config';
import { createStore, type Store } from './store';

const integer = z.string().regex(/^-?\d+$/);
const booksSchema = z.object({
  shards: z.array(z.object({ shard: z.number(), epoch: integer, lastSeq: integer })),
  windows: z.array(
    z.object({
      shard: z.number(),
      limitId: z.string(),
      startMs: z.number(),
      endMs: z.number(),
      settled: integer,
    }),
  ),
});
type Books = z.output<typeof booksSchema>;

interface Comparison {
  shardsOpen: number;
  countersCompared: number;
  countersCold: number;
  heldHolds: number;
  /** Disagreements, as sentences. */
  breaches: string[];
}

const HOLDS_MAX = 1_000;
const FLOATS_MAX = 50;
// A sweep runs every second; a lease that ended this long ago was missed.
export const LEASE_GRACE_MS = 10_000;

async function compareShard(
  store: Store,
  shard: number,
  books: Books,
  result: Comparison,
): Promise<void> {
  const meta = await store.readMeta(shard);
  const known = books.shards.find((row) => row.shard === shard);
  if (meta === null) return;
  result.shardsOpen += 1;
  const at = `shard ${String(shard)}`;
  if (known === undefined || Number(known.epoch) !== meta.epoch) {
    result.breaches.push(
      `${at}: epoch ${String(meta.epoch)} here, ${known?.epoch ?? 'none'} booked`,
    );
    return;
  }
  if (meta.seq !== Number(known.lastSeq)) {
    result.breaches.push(`${at}: ${String(meta.seq)} entries written, ${known.lastSeq} booked`);
  }
  const late = await store.expiredLeases(shard, HOLDS_MAX);
  if (late.length > 0)
    result.breaches.push(`${at}: ${String(late.length)} holds outlive their lease`);
  // A policy that knows no floats does not reclaim them, so their amounts would stay held for ever.
  for (const floatId of await store.expiredFloats(shard, FLOATS_MAX, LEASE_GRACE_MS)) {
    result.breaches.push(`${at}: float ${floatId} outlives its lease`);
  }
  result.heldHolds += (await store.heldHolds(shard, 0, HOLDS_MAX)).length;

  const windows = books.windows.filter((window) => window.shard === shard);
  const refs = windows.map(({ limitId }) => ({ limitId, kind: 'WINDOW' as const }));
  const counters = await store.readCounters(shard, refs);
  for (const [index, window] of windows.entries()) {
    const counter = counters[index];
    const same = counter?.windowStartMs === window.startMs && counter.windowEndMs === window.endMs;
    if (counter === undefined || !same || counter.settled === null) {
      // Cold: the next use seeds it from the books.
      result.countersCold += 1;
      continue;
    }
    result.countersCompared += 1;
    if (counter.settled !== BigInt(window.settled)) {
      const here = counter.settled.toString();
      result.breaches.push(`limit ${window.limitId}: ${here} counted, ${window.settled} booked`);
    }
  }
}

/** Compares every open shard of the live store with the books. */
export async function compare(store: Store, books: Books): Promise<Comparison> {
  const result: Comparison = {
    shardsOpen: 0,
    countersCompared: 0,
    countersCold: 0,
    heldHolds: 0,
    breaches: [],
  };
  for (let shard = 0; shard < SHARDS; shard += 1) {
    await compareShard(store, shard, books, result);
  }
  return result;
}

async function main(): Promise<number> {
  const config = loadStoreConfig();
  const books = booksSchema.parse(JSON.parse(await text(process.stdin)));
  const store = createStore({
    redis: { url: config.REDIS_URL, cluster: config.REDIS_CLUSTER },
    log: createLogger({ service: 'policy-verify', level: 'error' }),
    deadlineMs: 5_000,
    leaseGraceMs: LEASE_GRACE_MS,
    ledgerStreamMax: 1,
  });
  await store.connect();
  try {
    const result = await compare(store, books);
    process.stdout.write(`${JSON.stringify(result)}\n`);
    return result.breaches.length === 0 ? 0 : 1;
  } finally {
    await store.stop();
  }
}

if (require.main === module) {
  main().then(
    (code) => {
      process.exitCode = code;
    },
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
      process.exitCode = error instanceof ConfigError ? 2 : 1;
    },
  );
}
