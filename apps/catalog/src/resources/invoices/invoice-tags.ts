import { formatUsd, rest } from '@tollgate/contracts';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';

import { tagValueOf } from '../../ledger/records/tag-value';
import type { Call } from '../../rest/call';
import { firstIdAt, lastIdBefore } from '../../rest/record-ids';
import type { Invoice } from './invoice.entity';
import { find } from './invoices';

/**
 * An invoice by the values of a tag. Its lines have no tags, so the sums are those of the records and adjustments that
 * the lines were computed from, and what records cannot tell is a sum of its own: all together are the invoice's total.
 */

/** Months whose records are read: the invoice's own, and the latest earlier ones that it adjusts. */
const MONTHS = 13;

/** SQL: whether a row was booked when the invoice with this alias was computed. */
const bookedFor = (invoice: string, row: string): string =>
  `(${invoice}.booked_before_xid IS NULL OR ${row}.written_xid IS NULL
    OR (${row}.written_xid < ${invoice}.booked_before_xid
      AND NOT ${row}.written_xid = ANY(${invoice}.booked_without_xids)))`;

/**
 * Of an earlier month only what no invoice before has billed. `before` is the last one that was issued when this one
 * was computed, and has billed that month.
 */
const dueFor = (row: string): string =>
  `${bookedFor('own', row)} AND (m.month = own.month OR (before.id IS NOT NULL AND NOT ${bookedFor('before', row)}))`;

/** SQL: the month of a record in the zone that it was charged in. */
const MONTH_OF = `date_trunc('month', r.authorised_at AT TIME ZONE coalesce(r.time_zone, own.time_zone))::date`;
/** The ids bound the partitions, the instants the index of the organisation. */
const WITHIN = `r.organisation_id = own.organisation_id AND r.id >= $3 AND r.id < $4
      AND r.authorised_at >= $7 AND r.authorised_at < $8`;

const SUMS = `
  WITH own AS (SELECT * FROM invoice WHERE id = $1),
  before AS (
    SELECT i.* FROM invoice i, own
    WHERE i.organisation_id = own.organisation_id AND i.month < own.month AND i.status = 'ISSUED'
      AND i.booked_before_xid <= own.booked_before_xid
    ORDER BY i.month DESC LIMIT 1
  ), months AS (
    SELECT DISTINCT l.month FROM invoice_line l WHERE l.invoice_id = $1 ORDER BY l.month DESC LIMIT $2
  ), due AS (
    SELECT r.tags, r.requests, r.cost_nano_usd
    FROM own LEFT JOIN before ON true
      JOIN usage_record r ON ${WITHIN}
      JOIN months m ON m.month = ${MONTH_OF}
    WHERE ${dueFor('r')}
    UNION ALL
    SELECT r.tags, a.requests, a.cost_nano_usd
    FROM own LEFT JOIN before ON true
      JOIN usage_adjustment a ON a.organisation_id = own.organisation_id
        AND a.request_id >= $3 AND a.request_id < $4
      JOIN usage_record r ON r.id = a.request_id AND ${WITHIN}
      JOIN months m ON m.month = ${MONTH_OF}
    WHERE ${dueFor('a')}
  ), by_value AS (
    SELECT ${tagValueOf('due.tags', '$5::text')} AS value,
      sum(requests)::bigint AS requests, sum(cost_nano_usd)::bigint AS amount
    FROM due GROUP BY 1
  ), ranked AS (
    SELECT *, CASE WHEN value IS NULL THEN 0
      ELSE row_number() OVER (PARTITION BY value IS NULL ORDER BY amount DESC, value) END AS place
    FROM by_value
  )
  SELECT CASE WHEN place <= $6 THEN value END AS value, (place > $6) AS other,
    count(*)::int AS "values", sum(requests)::text AS requests, sum(amount)::text AS amount
  FROM ranked GROUP BY 1, 2 ORDER BY other, sum(amount) DESC, 1`;

const sumRows = z.array(
  z.object({
    value: z.string().nullable(),
    other: z.boolean(),
    values: z.number(),
    requests: z.string(),
    amount: z.string(),
  }),
);

interface Sums {
  requests: number;
  amount: bigint;
}

export async function tags(call: Call<typeof rest.getInvoiceTags>): Promise<rest.InvoiceTags> {
  const { db, params, query } = call;
  const invoice = await find(db, params);
  const rows = await sumsOf(db, invoice, query.key);
  const whole = await wholeOf(db, invoice);
  const listed = rows.flatMap(({ other, value, ...sums }) =>
    other || value === null ? [] : [{ value, ...sums }],
  );
  const others = rows.find(({ other }) => other);
  const untagged = rows.find(({ other, value }) => !other && value === null);
  const told = sumUp(rows);
  return {
    key: query.key,
    data: listed.map(({ value, ...sums }) => ({ value, ...shown(sums) })),
    valueCount: listed.length + (others?.values ?? 0),
    other: shown(others ?? NOTHING),
    untagged: shown(untagged ?? NOTHING),
    unattributed: shown({
      requests: whole.requests - told.requests,
      amount: whole.amount - told.amount,
    }),
    totalUsd: formatUsd(whole.amount),
  };
}

const NOTHING: Sums = { requests: 0, amount: 0n };

const shown = ({ requests, amount }: Sums) => ({ requests, amountUsd: formatUsd(amount) });

function sumUp(all: readonly Sums[]): Sums {
  return all.reduce(
    (sum, { requests, amount }) => ({
      requests: sum.requests + requests,
      amount: sum.amount + amount,
    }),
    NOTHING,
  );
}

async function sumsOf(db: EntityManager, invoice: Invoice, key: string) {
  const { fromMs, toMs } = await spanOf(db, invoice);
  const ids = [firstIdAt(fromMs), lastIdBefore(toMs)];
  const instants = [new Date(fromMs), new Date(toMs)];
  const values = [invoice.id, MONTHS, ...ids, key, rest.INVOICE_TAG_VALUES, ...instants];
  return sumRows.parse(await db.query(SUMS, values)).map(({ amount, requests, ...row }) => ({
    ...row,
    requests: Number(requests),
    amount: BigInt(amount),
  }));
}

/** When the requests of these months may have been authorised, in any zone. */
async function spanOf(
  db: EntityManager,
  { id, endsAt, startsAt }: Invoice,
): Promise<{ fromMs: number; toMs: number }> {
  const rows = monthRows.parse(
    await db.query(
      `SELECT min(month)::text AS earliest FROM (SELECT DISTINCT month FROM invoice_line
        WHERE invoice_id = $1 ORDER BY month DESC LIMIT $2) AS months`,
      [id, MONTHS],
    ),
  );
  const earliest = rows[0]?.earliest ?? null;
  const firstMs = earliest === null ? startsAt.getTime() : Date.parse(earliest);
  return {
    fromMs: Math.max(0, Math.min(firstMs, startsAt.getTime()) - ZONES_MS),
    toMs: endsAt.getTime() + ZONES_MS,
  };
}

const monthRows = z.array(z.object({ earliest: z.string().nullable() }));

/** Zones are at most 14 hours from UTC, an organisation may have changed its own, and clocks of edges differ. */
const ZONES_MS = 30 * 3_600_000;

/** The lines together: what all sums by a tag add up to. */
async function wholeOf(db: EntityManager, { id }: Invoice): Promise<Sums> {
  const rows = wholeRows.parse(
    await db.query(
      `SELECT coalesce(sum(requests), 0)::text AS requests,
        coalesce(sum(amount_nano_usd), 0)::text AS amount
      FROM invoice_line WHERE invoice_id = $1`,
      [id],
    ),
  );
  const [row] = rows;
  return { requests: Number(row?.requests ?? 0), amount: BigInt(row?.amount ?? 0) };
}

const wholeRows = z.array(z.object({ requests: z.string(), amount: z.string() }));
