import { rest } from '@tollgate/contracts';
import { uuidv7 } from '@tollgate/kit';

import type { Tx } from '../db';
import type { Candidate } from './candidates';
import { iso } from './spans';
import { isMoney, wordsOf } from './words';

/** Any number, the same in each process: alerts are raised by one transaction after the other. */
const LOCK = 7_320_035;

/** A message is given up when it could not be delivered for so long. */
export const DELIVERY_LIFE_MS = 24 * 3_600_000;

/** The caller reads what to raise after this, and so sees what others have raised. */
export async function lockRaising(tx: Tx): Promise<void> {
  await tx.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
}

const INSERT = `
  INSERT INTO alert (id, organisation_id, rule_id, rule_name, kind, subject_type, subject_id,
    subject_name, window_starts_at, window_ends_at, threshold, limit_amount, value, money, title,
    text, value_count, created_at)
  SELECT u.*, $18::timestamptz FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[],
    $5::text[], $6::text[], $7::text[], $8::text[], $9::timestamptz[], $10::timestamptz[],
    $11::integer[], $12::bigint[], $13::bigint[], $14::boolean[], $15::text[], $16::text[], $17::integer[]) AS u
  ON CONFLICT ON CONSTRAINT alert_once_key DO NOTHING
  RETURNING id`;

// Kept until the limit's window has ended, whenever retention removes the alert.
const TELL = `
  INSERT INTO alert_told_values AS t (rule_id, subject_id, window_starts_at, window_ends_at,
    threshold, limit_amount, value_count)
  SELECT * FROM unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::timestamptz[],
    $5::integer[], $6::bigint[], $7::integer[])
  ON CONFLICT ON CONSTRAINT alert_told_values_pkey
    DO UPDATE SET value_count = greatest(t.value_count, excluded.value_count)`;

// A destination gets a bounded number of messages in an hour, so that ten thousand budgets that
// are crossed at once do not become ten thousand letters.
const QUEUE = `
  WITH wanted AS (
    SELECT a.id AS alert_id, d.id AS destination_id, d.organisation_id, d.name, d.kind,
      row_number() OVER (PARTITION BY d.id ORDER BY a.id) + (SELECT count(*)
        FROM alert_delivery e WHERE e.destination_id = d.id
          AND e.created_at > $2::timestamptz - interval '1 hour'
          AND e.status <> 'SUPPRESSED') AS place
    FROM alert a
    JOIN alert_rule_destination j ON j.rule_id = a.rule_id
    JOIN alert_destination d ON d.id = j.destination_id AND d.status = 'ACTIVE'
      AND d.organisation_id IS NOT DISTINCT FROM a.organisation_id
    WHERE a.id = ANY($1::uuid[])
  )
  INSERT INTO alert_delivery (id, alert_id, destination_id, organisation_id, destination_name,
    destination_kind, status, next_attempt_at, expires_at, created_at, last_error)
  SELECT gen_random_uuid(), alert_id, destination_id, organisation_id, name, kind,
    CASE WHEN place > ${rest.ALERT_MESSAGES_PER_HOUR} THEN 'SUPPRESSED' ELSE 'PENDING' END,
    $2, $3, $2, CASE WHEN place > ${rest.ALERT_MESSAGES_PER_HOUR} THEN
      'The destination has had ${rest.ALERT_MESSAGES_PER_HOUR} messages within an hour.' END
  FROM wanted`;

/**
 * Raises alerts and queues their messages, in the caller's transaction: there is no alert without
 * its messages, and no message without its alert. An alert that exists already is left out. Returns
 * the number of new ones.
 */
export async function raise(tx: Tx, found: readonly Candidate[], nowMs: number): Promise<number> {
  if (found.length === 0) return 0;
  const drafts = found.map((candidate) => ({ candidate, words: wordsOf(candidate) }));
  const of = <T>(read: (candidate: Candidate) => T): T[] => found.map(read);
  const { rows } = await tx.query<{ id: string }>(INSERT, [
    of(() => uuidv7(nowMs)),
    of(({ organisationId }) => organisationId),
    of(({ ruleId }) => ruleId),
    of(({ ruleName }) => ruleName),
    of(({ kind }) => kind),
    of(({ subjectType }) => subjectType),
    of(({ subjectId }) => subjectId),
    drafts.map(({ words }) => words.subjectName),
    of(({ windowStart }) => windowStart.toISOString()),
    of(({ windowEnd }) => windowEnd.toISOString()),
    of(({ threshold }) => threshold),
    of(({ limitAmount }) => limitAmount.toString()),
    of(({ value }) => value.toString()),
    of(isMoney),
    drafts.map(({ words }) => words.title),
    drafts.map(({ words }) => words.text),
    of(({ values }) => values?.count ?? null),
    iso(nowMs),
  ]);
  if (rows.length === 0) return 0;
  await tellValues(tx, found);
  await tx.query(QUEUE, [rows.map(({ id }) => id), iso(nowMs), iso(nowMs + DELIVERY_LIFE_MS)]);
  return rows.length;
}

/** Remembers how many values of a limit the alerts told of. */
async function tellValues(tx: Tx, found: readonly Candidate[]): Promise<void> {
  const told = found.flatMap((candidate) => {
    const { limitEnd, limitStart, values } = candidate;
    if (!values || !limitStart || !limitEnd) return [];
    return [{ ...candidate, limitStart, limitEnd, count: values.count }];
  });
  if (told.length === 0) return;
  await tx.query(TELL, [
    told.map(({ ruleId }) => ruleId),
    told.map(({ subjectId }) => subjectId),
    told.map(({ limitStart }) => limitStart.toISOString()),
    told.map(({ limitEnd }) => limitEnd.toISOString()),
    told.map(({ threshold }) => threshold),
    told.map(({ limitAmount }) => limitAmount.toString()),
    told.map(({ count }) => count),
  ]);
}
