import { setTimeout as sleep } from 'node:timers/promises';
import { rest, shardOf } from '@tollgate/contracts';
import type { EntityManager } from 'typeorm';

import { LedgerShard } from '../../ledger/records/ledger-shard.entity';
import type { Call } from '../../rest/call';
import { eventStream, type StreamEvent } from '../../rest/event-stream';
import { mcpRequestsOf, mcpTargetsOf } from './mcp-targets';
import { pageOfRecords, represent } from './usage-records';

/**
 * New usage records as they are booked. The entries of a shard are booked in the order of their
 * numbers, under its lock. So the number of the last entry is a position: later records have higher
 * numbers. New records are searched among the newest requests.
 */

/** A request that took longer appears only in the list by pages. */
const WINDOW_MS = 15 * 60_000;
const POLL_MS = 1_000;
/** A stream pauses this many times as long as its last query took, so that many streams cannot occupy the database. */
const PAUSE_FACTOR = 4;

type Pause = (ms: number, signal: AbortSignal) => Promise<void>;

const pauseOf: Pause = async (ms, signal) => {
  // The loop ends when the signal has aborted.
  await sleep(ms, undefined, { signal }).catch(() => undefined);
};

export function watch(
  call: Call<typeof rest.watchUsageRecords>,
  pause: Pause = pauseOf,
): Promise<string> {
  return Promise.resolve(eventStream({ events: (signal) => newRecords(call, signal, pause) }));
}

async function* newRecords(
  call: Call<typeof rest.watchUsageRecords>,
  signal: AbortSignal,
  pause: Pause,
): AsyncGenerator<StreamEvent | undefined> {
  const { access, db, organisation, query } = call;
  const { after, ...filters } = query;
  let position = after === undefined ? undefined : BigInt(after);
  const startedAt = performance.now();
  while (!signal.aborted) {
    const askedAt = performance.now();
    const booked = await lastBooked(db, organisation.id);
    // A restored database has booked less than it had before.
    if (position !== undefined && booked < position) position = undefined;
    if (position === undefined || booked > position) {
      const nowMs = call.nowMs + (askedAt - startedAt);
      const from = new Date(nowMs - WINDOW_MS).toISOString();
      const place = { limit: rest.LIVE_ROWS, sort: '-authorisedAt' };
      const page = await pageOfRecords(db, organisation.id, access, { ...filters, from }, place);
      const seen = position ?? -1n;
      const rows = page.rows.filter(({ seq }) => seq > seen);
      const first = position === undefined;
      position = rows.reduce((last, { seq }) => (seq > last ? seq : last), booked);
      const targets = await mcpTargetsOf(db, mcpRequestsOf(rows));
      const data: rest.LiveRecords = {
        data: rows.map((row) => represent(row, targets)),
        more: !first && page.nextCursor !== null && rows.length === page.rows.length,
        position: String(position),
      };
      yield { name: 'records', data };
    } else yield undefined;
    await pause(Math.max(POLL_MS, PAUSE_FACTOR * (performance.now() - askedAt)), signal);
  }
}

async function lastBooked(db: EntityManager, organisationId: string): Promise<bigint> {
  const shard = await db.findOneByOrFail(LedgerShard, { id: shardOf(organisationId) });
  return shard.lastSeq;
}
