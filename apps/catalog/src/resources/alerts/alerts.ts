import {
  restError,
  type AlertDeliveryStatus,
  type AlertKind,
  type rest,
} from '@tollgate/contracts';

import { alertFieldsOf, DELIVERY_LIFE_MS } from '../../alerts';
import { AlertDelivery } from '../../entities/alert-delivery.entity';
import { Alert } from '../../entities/alert.entity';
import { conflict } from '../../rest/field-errors';
import { idKey, readByAge } from '../../rest/paging';
import { ownedBy, ownerOf, type Within } from './owner';

/** The log of alerts and of their messages. */

interface Query {
  readonly cursor?: string | undefined;
  readonly limit: number;
  readonly total?: 'true' | undefined;
  readonly sort?: 'createdAt' | '-createdAt' | undefined;
  readonly kind?: AlertKind | undefined;
  readonly seen?: 'true' | 'false' | undefined;
}

export async function list(call: Within, query: Query): Promise<rest.PageOf<rest.Alert>> {
  const rows = alertsOf(call);
  if (query.kind !== undefined) rows.andWhere('alert.kind = :kind', { kind: query.kind });
  if (query.seen === 'true') rows.andWhere('alert.seenAt IS NOT NULL');
  if (query.seen === 'false') rows.andWhere('alert.seenAt IS NULL');
  const page = await readByAge(rows, query, idKey<Alert>('alert.id'));
  return {
    data: await represent(call, page.rows),
    nextCursor: page.nextCursor,
    matching: page.matching,
  };
}

export async function get(call: Within, id: string): Promise<rest.AlertDetail> {
  const alert = await representOne(call, await find(call, id));
  const log = await call.db.find(AlertDelivery, {
    where: { alertId: id },
    order: { createdAt: 'ASC', destinationName: 'ASC', id: 'ASC' },
  });
  return { ...alert, log: log.map(representDelivery) };
}

/** The first one who saw it stays. */
export async function markSeen(call: Within, id: string): Promise<rest.Alert> {
  const row = await find(call, id, true);
  if (row.seenAt === null) {
    const seen = { seenAt: new Date(call.nowMs), seenBy: call.actor.id };
    await call.db.update(Alert, { id }, seen);
    call.changed({
      action: 'alert.see',
      organisationId: ownerOf(call),
      target: { type: 'alert', id },
      after: { title: row.title },
    });
  }
  return representOne(call, await find(call, id));
}

export async function markAllSeen(call: Within): Promise<{ seen: number }> {
  const owner = ownerOf(call);
  const { affected } = await call.db
    .createQueryBuilder()
    .update(Alert)
    .set({ seenAt: new Date(call.nowMs), seenBy: call.actor.id })
    .where(
      `seen_at IS NULL AND ${owner === null ? 'organisation_id IS NULL' : 'organisation_id = :owner'}`,
      { owner },
    )
    .execute();
  const seen = affected ?? 0;
  if (seen > 0) {
    call.changed({
      action: 'alert.see-all',
      organisationId: ownerOf(call),
      target: { type: 'alert', id: null },
      after: { seen },
    });
  }
  return { seen };
}

/** Queues a message again, with the id that it had, so a receiver that has it can tell. */
export async function replay(
  call: Within,
  alertId: string,
  deliveryId: string,
): Promise<rest.AlertDelivery> {
  await find(call, alertId);
  const row = await call.db.findOne(AlertDelivery, {
    where: { id: deliveryId, alertId },
    lock: { mode: 'pessimistic_write' },
  });
  if (row === null) throw restError('not_found');
  if (row.destinationId === null) throw conflict('destinationId', 'the destination was deleted');
  if (row.status === 'PENDING') throw conflict('status', 'the message is queued already');
  await call.db.update(
    AlertDelivery,
    { id: deliveryId },
    {
      status: 'PENDING',
      attempts: 0,
      nextAttemptAt: new Date(call.nowMs),
      expiresAt: new Date(call.nowMs + DELIVERY_LIFE_MS),
    },
  );
  call.changed({
    action: 'alert.replay',
    organisationId: ownerOf(call),
    target: { type: 'alert', id: alertId },
    after: { destination: row.destinationName },
  });
  return representDelivery(await call.db.findOneByOrFail(AlertDelivery, { id: deliveryId }));
}

function alertsOf(call: Within) {
  const owner = ownerOf(call);
  return call.db.createQueryBuilder(Alert, 'alert').where(ownedBy('alert', owner), { owner });
}

async function find(call: Within, id: string, lock = false): Promise<Alert> {
  const query = alertsOf(call).andWhere('alert.id = :id', { id });
  const found = await (lock ? query.setLock('pessimistic_write') : query).getOne();
  if (found === null) throw restError('not_found');
  return found;
}

async function representOne(call: Within, row: Alert): Promise<rest.Alert> {
  const [alert] = await represent(call, [row]);
  if (alert === undefined) throw restError('not_found');
  return alert;
}

const COUNTED = {
  PENDING: 'pending',
  DELIVERED: 'delivered',
  FAILED: 'failed',
  SUPPRESSED: 'suppressed',
} as const satisfies Record<AlertDeliveryStatus, keyof rest.Alert['deliveries']>;

async function represent(call: Within, rows: readonly Alert[]): Promise<rest.Alert[]> {
  const deliveries =
    rows.length === 0
      ? []
      : await call.db
          .createQueryBuilder(AlertDelivery, 'delivery')
          .where('delivery.alertId = ANY(:ids::uuid[])', { ids: rows.map(({ id }) => id) })
          .getMany();
  const byAlert = Map.groupBy(deliveries, ({ alertId }) => alertId);
  return rows.map((row) => {
    const counts = { pending: 0, delivered: 0, failed: 0, suppressed: 0 };
    for (const { status } of byAlert.get(row.id) ?? []) counts[COUNTED[status]] += 1;
    return {
      ...alertFieldsOf(row),
      seenAt: row.seenAt?.toISOString() ?? null,
      seenBy: row.seenBy,
      deliveries: counts,
    };
  });
}

function representDelivery(row: AlertDelivery): rest.AlertDelivery {
  return {
    id: row.id,
    destinationId: row.destinationId,
    destinationName: row.destinationName,
    destinationKind: row.destinationKind,
    status: row.status,
    attempts: row.attempts,
    nextAttemptAt: row.status === 'PENDING' ? row.nextAttemptAt.toISOString() : null,
    lastError: row.lastError,
    deliveredAt: row.deliveredAt?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
  };
}
