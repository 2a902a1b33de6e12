import { HOLD_STATES, isOneOf } from '@tollgate/contracts';
import type { HoldState__Output } from '@tollgate/contracts/node';
import type { Pool } from 'pg';

import { inTransaction, type Tx } from '../../db';
import {
  columnSource,
  insertStatement,
  instantText,
  type InsertColumn,
} from '../records/column-arrays';
import type { LedgerEntry } from '../records/entry';
import { isUuid } from '../records/entry-values';

const orNull = (id: string): string | null => (id === '' ? null : id);

/** Order of states: a report never moves a hold back to an earlier state. */
const RANK = `CASE $state WHEN 'HELD' THEN 0 WHEN 'ABANDONED' THEN 1 WHEN 'RESOLVED' THEN 3 ELSE 2 END`;

const upsertRequests = insertStatement<HoldState__Output>(
  'ledger-checkpoint-requests',
  'budget_request',
  [
    ['request_id', 'uuid', (hold) => hold.requestId],
    ['organisation_id', 'uuid', (hold) => hold.organisationId],
    ['team_id', 'uuid', (hold) => orNull(hold.teamId)],
    ['user_id', 'uuid', (hold) => orNull(hold.userId)],
    ['api_key_id', 'uuid', (hold) => hold.apiKeyId],
    ['model_id', 'uuid', (hold) => orNull(hold.modelId)],
    ['state', 'text', (hold) => hold.state],
    ['authorised_at', 'timestamptz', (hold) => instantText(hold.authorisedAtMs)],
    ['lease_until', 'timestamptz', (hold) => instantText(hold.leaseUntilMs)],
    [
      'ended_at',
      'timestamptz',
      (hold) => (hold.endedAtMs === 0 ? null : instantText(hold.endedAtMs)),
    ],
    ['version', 'bigint', (hold) => hold.version],
  ],
  `ON CONFLICT (request_id) DO UPDATE SET state = excluded.state, lease_until = excluded.lease_until,
     ended_at = excluded.ended_at, model_id = excluded.model_id, version = excluded.version,
     updated_at = now()
   WHERE budget_request.version < excluded.version
     AND ${RANK.replace('$state', 'budget_request.state')} <= ${RANK.replace('$state', 'excluded.state')}
   RETURNING request_id`,
);

interface Reservation {
  requestId: string;
  organisationId: string;
  limitId: string;
  startMs: number;
  held: string;
  spent: string;
}

const reservationColumns = (
  id: string,
  held: string,
  spent: string,
): InsertColumn<Reservation>[] => [
  ['request_id', 'uuid', (row) => row.requestId],
  [id, 'uuid', (row) => row.limitId],
  ['organisation_id', 'uuid', (row) => row.organisationId],
  ['window_starts_at', 'timestamptz', (row) => instantText(row.startMs)],
  [held, 'bigint', (row) => row.held],
  [spent, 'bigint', (row) => row.spent],
];

const RESERVATIONS = {
  BUDGET: insertStatement(
    'ledger-checkpoint-budgets',
    'budget_reservation',
    reservationColumns('budget_id', 'held_nano_usd', 'spent_nano_usd'),
    `ON CONFLICT (request_id, budget_id) DO UPDATE SET window_starts_at = excluded.window_starts_at,
       held_nano_usd = excluded.held_nano_usd, spent_nano_usd = excluded.spent_nano_usd`,
  ),
  QUOTA: insertStatement(
    'ledger-checkpoint-quotas',
    'quota_reservation',
    reservationColumns('quota_id', 'held', 'used'),
    `ON CONFLICT (request_id, quota_id) DO UPDATE SET window_starts_at = excluded.window_starts_at,
       held = excluded.held, used = excluded.used`,
  ),
} as const;
type ReservationKind = keyof typeof RESERVATIONS;
const RESERVATION_KINDS = Object.keys(RESERVATIONS) as ReservationKind[];

/**
 * Stores the policy service's reports of holds. The report with the higher version wins. A late
 * report of HELD does not reopen a hold whose record is booked. Returns how many reports changed
 * something.
 */
export function checkpoint(pool: Pool, holds: readonly HoldState__Output[]): Promise<number> {
  const latest = new Map<string, HoldState__Output>();
  for (const hold of holds) {
    if (!isOneOf(HOLD_STATES, hold.state))
      throw new RangeError(`${hold.state} is not a state of a hold`);
    if ((latest.get(hold.requestId)?.version ?? -1) < hold.version)
      latest.set(hold.requestId, hold);
  }
  if (latest.size === 0) return Promise.resolve(0);
  return inTransaction(pool, async (tx) => {
    const ended = await booked(tx, [...latest.values()]);
    const news = [...latest.values()]
      .filter((hold) => !ended.has(hold.requestId))
      .sort((a, b) => (a.requestId < b.requestId ? -1 : 1));
    if (news.length === 0) return 0;
    const { rows } = await tx.query<{ request_id: string }>(upsertRequests(news));
    const stored = new Set(rows.map((row) => row.request_id));
    const storedHolds = news.filter((hold) => stored.has(hold.requestId));
    for (const kind of RESERVATION_KINDS) {
      const reservations = storedHolds.flatMap((hold) => reservationsOf(hold, kind));
      if (reservations.length > 0) await tx.query(RESERVATIONS[kind](reservations));
    }
    return stored.size;
  });
}

function reservationsOf(hold: HoldState__Output, kind: ReservationKind): Reservation[] {
  const { requestId, organisationId } = hold;
  const rows = new Map<string, Reservation>();
  for (const { limitId, windowStartMs: startMs, held, spent, ...counter } of hold.counters) {
    if (counter.kind !== kind || !isUuid(limitId)) continue;
    rows.set(limitId, { requestId, organisationId, limitId, startMs, held, spent });
  }
  return [...rows.values()];
}

async function booked(tx: Tx, holds: readonly HoldState__Output[]): Promise<Set<string>> {
  const held = holds.filter((hold) => hold.state === 'HELD').map((hold) => hold.requestId);
  if (held.length === 0) return new Set();
  const { rows } = await tx.query<{ id: string }>({
    name: 'ledger-checkpoint-booked',
    text: 'SELECT id FROM usage_record WHERE id = ANY($1::uuid[])',
    values: [held],
  });
  return new Set(rows.map((row) => row.id));
}

const insertAbandoned = insertStatement<LedgerEntry>(
  'ledger-note-abandoned',
  'budget_request',
  [
    ['request_id', 'uuid', (entry) => entry.requestId],
    ['organisation_id', 'uuid', (entry) => entry.dimensions.organisationId],
    ['team_id', 'uuid', (entry) => entry.dimensions.teamId],
    ['user_id', 'uuid', (entry) => entry.dimensions.userId],
    ['api_key_id', 'uuid', (entry) => entry.dimensions.apiKeyId],
    ['model_id', 'uuid', (entry) => entry.dimensions.modelId],
    ['state', 'text', (entry) => entry.mode],
    ['authorised_at', 'timestamptz', (entry) => instantText(entry.authorisedAtMs)],
    ['lease_until', 'timestamptz', (entry) => instantText(entry.closedAtMs)],
    ['ended_at', 'timestamptz', (entry) => instantText(entry.closedAtMs)],
    // Any report has a higher version.
    ['version', 'bigint', () => 0],
  ],
  'ON CONFLICT DO NOTHING',
);

/**
 * Makes an abandoned hold visible to operators even if no report of it arrived, because its charge
 * is in the books. `booked` are the entries with bookings, in ledger order.
 */
export async function noteAbandoned(tx: Tx, booked: readonly LedgerEntry[]): Promise<void> {
  const last = new Map(booked.map((entry) => [entry.requestId, entry]));
  const abandoned = [...last.values()].filter(({ mode }) => mode === 'ABANDONED');
  if (abandoned.length > 0) await tx.query(insertAbandoned(abandoned));
}

const closed = columnSource<LedgerEntry>('w', [
  ['id', 'uuid', (entry) => entry.requestId],
  ['state', 'text', (entry) => entry.mode],
  ['ended_at', 'timestamptz', (entry) => instantText(entry.closedAtMs)],
]);

/** Marks reported holds as ended once the close of their request is booked. */
export async function closeHolds(tx: Tx, entries: readonly LedgerEntry[]): Promise<void> {
  const last = new Map(entries.map((entry) => [entry.requestId, entry]));
  const { rows } = await tx.query<{ request_id: string }>({
    name: 'ledger-close-holds',
    text: `UPDATE budget_request b
      SET state = ${closed.value('state')}, ended_at = ${closed.value('ended_at')}, updated_at = now()
      FROM ${closed.from}
      WHERE b.request_id = ${closed.value('id')} AND b.state IN ('HELD', 'ABANDONED')
        AND b.state <> ${closed.value('state')}
      RETURNING b.request_id`,
    values: closed.values([...last.values()]),
  });
  for (const { request_id: id } of rows) {
    const spent = (last.get(id)?.touched ?? []).filter((limit) => isUuid(limit.limitId));
    const values = [id, spent.map((limit) => limit.limitId), spent.map((limit) => limit.amount)];
    for (const [table, column, held, used] of [
      ['budget_reservation', 'budget_id', 'held_nano_usd', 'spent_nano_usd'],
      ['quota_reservation', 'quota_id', 'held', 'used'],
    ] as const) {
      await tx.query(
        `UPDATE ${table} SET ${held} = 0, ${used} = coalesce((
           SELECT sum(w.amount)::bigint FROM unnest($2::uuid[], $3::bigint[]) AS w(id, amount)
           WHERE w.id = ${column}), ${used})
         WHERE request_id = $1`,
        values,
      );
    }
  }
}
