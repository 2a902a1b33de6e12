import { restError, type rest } from '@tollgate/contracts';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';

import { isDataRefused, transactionOf } from '../../db';
import { bookQuarantined } from '../../ledger';
import { LedgerQuarantine } from '../../ledger/append/ledger-quarantine.entity';
import type { Call } from '../../rest/call';
import { conflict, invalid } from '../../rest/field-errors';
import { idKey, readByAge } from '../../rest/paging';

/** Quarantined ledger entries, as operators list, retry and dismiss them. */

export async function list(
  call: Call<typeof rest.listQuarantine>,
): Promise<rest.PageOf<rest.QuarantinedEntry>> {
  const { query, db } = call;
  const rows = db.createQueryBuilder(LedgerQuarantine, 'aside').where('TRUE');
  for (const field of ['status', 'shard'] as const) {
    const value = query[field];
    if (value !== undefined) rows.andWhere(`aside.${field} = :${field}`, { [field]: value });
  }
  const page = await readByAge(rows, query, idKey<LedgerQuarantine>('aside.id'));
  return { data: page.rows.map(represent), nextCursor: page.nextCursor, matching: page.matching };
}

export async function get(
  call: Call<typeof rest.getQuarantined>,
): Promise<rest.QuarantinedEntryDetail> {
  const row = await find(call.db, call.params.quarantineId);
  return {
    ...represent(row),
    entry: anObject.safeParse(row.entry).data ?? null,
    raw: row.raw?.toString('base64') ?? null,
  };
}

export async function retry(
  call: Call<typeof rest.retryQuarantined>,
): Promise<rest.QuarantinedEntry> {
  const before = await find(call.db, call.params.quarantineId);
  const outcome = await attempt(call);
  if (outcome === 'NOT_OPEN') throw conflict('status', 'the entry is no longer open');
  const after = represent(await find(call.db, call.params.quarantineId));
  call.changed({
    action: 'quarantine.retry',
    organisationId: outcome.organisationId,
    target: { type: 'ledger_quarantine', id: before.id },
    before: represent(before),
    after,
    news: [outcome],
  });
  return after;
}

/**
 * Throws 422 with the reason when the entry still cannot be booked. Other errors are faults of the
 * server.
 */
async function attempt(call: Call<typeof rest.retryQuarantined>) {
  try {
    return await bookQuarantined(
      await transactionOf(call.db),
      call.params.quarantineId,
      call.actor.id,
    );
  } catch (error) {
    if (!isDataRefused(error)) throw error;
    throw invalid('entry', error instanceof Error ? error.message : String(error));
  }
}

export async function dismiss(
  call: Call<typeof rest.dismissQuarantined>,
): Promise<rest.QuarantinedEntry> {
  const before = await find(call.db, call.params.quarantineId, true);
  if (before.status !== 'OPEN') throw conflict('status', 'the entry is no longer open');
  await call.db.update(
    LedgerQuarantine,
    { id: before.id },
    {
      status: 'DISCARDED',
      resolution: call.body.reason,
      resolvedAt: new Date(call.nowMs),
      resolvedBy: call.actor.id,
    },
  );
  const after = represent(await find(call.db, call.params.quarantineId));
  call.changed({
    action: 'quarantine.dismiss',
    organisationId: after.organisationId,
    target: { type: 'ledger_quarantine', id: before.id },
    before: represent(before),
    after,
  });
  return after;
}

async function find(db: EntityManager, id: string, lock = false): Promise<LedgerQuarantine> {
  const found = await db.findOne(LedgerQuarantine, {
    where: { id },
    ...(lock ? { lock: { mode: 'pessimistic_write' } } : {}),
  });
  if (found === null) throw restError('not_found');
  return found;
}

const anObject = z.record(z.string(), z.unknown());
/** The ids may be valid even when the rest of the entry is not. */
const ids = z.object({
  requestId: z.uuid().nullable().catch(null),
  subject: z.object({ organisationId: z.uuid() }).nullable().catch(null),
});

function represent(row: LedgerQuarantine): rest.QuarantinedEntry {
  const read = ids.safeParse(row.entry).data;
  return {
    id: row.id,
    shard: row.shard,
    epoch: Number(row.epoch),
    seq: Number(row.seq),
    organisationId: read?.subject?.organisationId ?? null,
    requestId: read?.requestId ?? null,
    reason: row.reason,
    status: row.status,
    resolution: row.resolution,
    resolvedAt: row.resolvedAt?.toISOString() ?? null,
    resolvedBy: row.resolvedBy,
    createdAt: row.createdAt.toISOString(),
  };
}
