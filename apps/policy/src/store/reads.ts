import type { Calls } from './calls';
import type { Connection } from './connection';
import { asEnded, kindCode } from './holds';
import type { CounterRef } from './items';
import { counterKey, endedKey, holdKey, leasesKey, metaKey } from './keys';
import type { Hold, ShardMeta, StoredCounter } from './records';
import { asFields, asNumber, asRow, asText, asTexts, field } from './replies';

// Reads of a shard that change nothing.

export interface ReadDeps {
  calls: Calls;
  connection: Connection;
  leaseGraceMs: number;
}

export async function readMeta({ connection }: ReadDeps, shard: number): Promise<ShardMeta | null> {
  const key = metaKey(shard);
  const { reply, runId } = await connection.on(key, async (server) => {
    const info = await server.info();
    return { reply: await server.command(['HGETALL', key]), runId: info.runId };
  });
  const meta = asFields(reply);
  if (!meta.has('epoch')) return null;
  const number = (name: string): number => asNumber(field(meta, name));
  return {
    epoch: number('epoch'),
    seq: number('seq'),
    booked: number('booked'),
    floor: number('floor'),
    rev: number('rev'),
    closedUntilMs: number('closed'),
    sameServer: field(meta, 'run') === runId,
  };
}

export async function readHold(
  deps: ReadDeps,
  shard: number,
  requestId: string,
): Promise<Hold | null> {
  const fields = asFields(await deps.calls.command(['HGETALL', holdKey(shard, requestId)]));
  const state = fields.get('st');
  if (state === undefined) return null;
  return {
    requestId,
    state: state === 'HELD' ? state : asEnded(state),
    authorisedAtMs: asNumber(field(fields, 'at')),
    leaseUntilMs: asNumber(field(fields, 'lease')),
    endedAtMs: asNumber(fields.get('end') ?? '0'),
    seq: asNumber(fields.get('seq') ?? '0'),
    step: asNumber(fields.get('step') ?? '0'),
    ticketText: fields.get('token') ?? '',
  };
}

export async function expiredLeases(
  deps: ReadDeps,
  shard: number,
  count: number,
): Promise<string[]> {
  return (await leases(deps, shard, String(deps.leaseGraceMs), count)).ids;
}

export async function heldHolds(
  deps: ReadDeps,
  shard: number,
  olderThanMs: number,
  count: number,
): Promise<Hold[]> {
  const { nowMs, ids } = await leases(deps, shard, '', count);
  const holds = await readHolds(deps, shard, ids);
  return holds.filter(
    (hold) => hold.state === 'HELD' && hold.authorisedAtMs <= nowMs - olderThanMs,
  );
}

// An empty grace reads all holds, by the end of their lease.
async function leases(deps: ReadDeps, shard: number, graceMs: string, count: number) {
  const reply = await deps.calls.script('leases', [leasesKey(shard)], () => [
    graceMs,
    String(count),
  ]);
  return { nowMs: asNumber(reply[0]), ids: asTexts(reply[1]) };
}

export async function endedHolds(deps: ReadDeps, shard: number, count: number): Promise<Hold[]> {
  const key = endedKey(shard);
  const ids = asTexts(await deps.calls.command(['ZRANGE', key, '0', String(count - 1)]));
  const holds = await readHolds(deps, shard, ids);
  const known = new Set(holds.map(({ requestId }) => requestId));
  const gone = ids.filter((id) => !known.has(id));
  // These records have expired, so there is nothing to report.
  if (gone.length > 0) await deps.calls.command(['ZREM', key, ...gone]);
  return holds.filter(({ state }) => state !== 'HELD');
}

export async function reportedHolds(deps: ReadDeps, shard: number, ids: string[]): Promise<void> {
  if (ids.length > 0) await deps.calls.command(['ZREM', endedKey(shard), ...ids]);
}

async function readHolds(deps: ReadDeps, shard: number, ids: string[]): Promise<Hold[]> {
  const holds = await Promise.all(ids.map((id) => readHold(deps, shard, id)));
  return holds.filter((hold) => hold !== null);
}

export async function readCounters(
  deps: ReadDeps,
  shard: number,
  counters: Pick<CounterRef, 'limitId' | 'kind'>[],
): Promise<StoredCounter[]> {
  if (counters.length === 0) return [];
  const reply = await deps.calls.script(
    'peek',
    [metaKey(shard), ...counters.map(({ limitId }) => counterKey(shard, limitId))],
    () => counters.map(({ kind }) => kindCode(kind)),
  );
  return counters.map(({ limitId, kind }, i) => {
    const [start, end, settled, held] = asRow(reply[i]).map(asText);
    return {
      limitId,
      windowStartMs: kind === 'RATE' ? 0 : asNumber(start),
      windowEndMs: asNumber(end),
      settled: settled === '' || settled === undefined ? null : BigInt(settled),
      held: BigInt(held ?? '0'),
      freeAtMs: kind === 'RATE' ? asNumber(start) : 0,
    };
  });
}
