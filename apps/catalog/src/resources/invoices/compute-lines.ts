import { shardOf } from '@tollgate/contracts';
import { uuidv7 } from '@tollgate/kit';
import type { EntityManager } from 'typeorm';

import { transactionOf, type Tx } from '../../db';
import { shownName } from '../../entities/freed-name';
import { lockShard } from '../../ledger/records/shards';
import type { Invoice } from './invoice.entity';

/**
 * SQL: the lines of an invoice: the usage booked for its month, and for each earlier invoiced month
 * what was booked since. Both are "booked minus billed", so each nano-dollar of the ledger is
 * billed once, and all lines of a month add up to its ledger entries.
 */
const LINES = `
  WITH billed_months AS (
    SELECT DISTINCT month FROM invoice
    WHERE organisation_id = $1 AND status = 'ISSUED' AND month < $3::date
  ), booked AS (
    SELECT starts::date AS month, team_id, api_key_id, model_id, mcp_server_id,
      sum(requests)::bigint AS requests,
      sum(tokens_in)::bigint AS tokens_in, sum(tokens_out)::bigint AS tokens_out,
      sum(cost_nano_usd)::bigint AS amount
    FROM usage_period
    WHERE organisation_id = $1 AND period = 'MONTH' AND owners AND starts <= $3::date
      AND (starts = $3::date OR starts::date IN (SELECT month FROM billed_months))
    GROUP BY 1, 2, 3, 4, 5
  ), billed AS (
    SELECT l.month, l.team_id, l.api_key_id, l.model_id, l.mcp_server_id,
      sum(l.requests)::bigint AS requests,
      sum(l.tokens_in)::bigint AS tokens_in, sum(l.tokens_out)::bigint AS tokens_out,
      sum(l.amount_nano_usd)::bigint AS amount
    FROM invoice_line l JOIN invoice i ON i.id = l.invoice_id
    WHERE i.organisation_id = $1 AND i.status = 'ISSUED' AND l.month <= $3::date
    GROUP BY 1, 2, 3, 4, 5
  ), due AS (
    SELECT month, team_id, api_key_id, model_id, mcp_server_id, sum(requests)::bigint AS requests,
      sum(tokens_in)::bigint AS tokens_in, sum(tokens_out)::bigint AS tokens_out,
      sum(amount)::bigint AS amount
    FROM (
      SELECT * FROM booked
      UNION ALL
      SELECT month, team_id, api_key_id, model_id, mcp_server_id, -requests, -tokens_in,
        -tokens_out, -amount
      FROM billed WHERE month = $3::date OR month IN (SELECT month FROM billed_months)
    ) AS entries
    GROUP BY 1, 2, 3, 4, 5
  )
  SELECT due.month::text AS month, due.team_id, due.api_key_id, due.model_id, due.mcp_server_id,
    due.requests, due.tokens_in, due.tokens_out, due.amount, t.name AS team, k.name AS api_key,
    m.name AS model, s.name AS mcp_server
  FROM due LEFT JOIN team t ON t.id = due.team_id LEFT JOIN api_key k ON k.id = due.api_key_id
    LEFT JOIN model m ON m.id = due.model_id LEFT JOIN mcp_server s ON s.id = due.mcp_server_id
  WHERE due.amount <> 0 OR due.requests <> 0
  ORDER BY due.month DESC, team NULLS FIRST, api_key, model, mcp_server, due.team_id,
    due.api_key_id, due.model_id, due.mcp_server_id
  LIMIT $2`;

/**
 * SQL: notes which bookings are visible now, in the numbers of `written_xid`. Bookings wait for the shard's lock, so
 * they are those that the lines are computed from.
 */
const NOTE_BOOKINGS = `
  UPDATE invoice SET
    booked_before_xid = pg_snapshot_xmax(pg_current_snapshot())::text::bigint + xid_offset(),
    booked_without_xids = (SELECT coalesce(array_agg(x::text::bigint + xid_offset()), '{}')
      FROM pg_snapshot_xip(pg_current_snapshot()) AS x)
  WHERE id = $1`;

/** With more lines, an organisation is not billed by team, key, model and MCP server. */
export const MAX_LINES = 50_000;

interface Row {
  month: string;
  team_id: string | null;
  api_key_id: string | null;
  model_id: string | null;
  mcp_server_id: string | null;
  requests: bigint;
  tokens_in: bigint;
  tokens_out: bigint;
  amount: bigint;
  team: string | null;
  api_key: string | null;
  model: string | null;
  mcp_server: string | null;
}

/**
 * Recomputes the lines of a draft under the shard's row lock, so that nothing is booked meanwhile.
 * Returns their sum.
 */
export async function computeLines(db: EntityManager, invoice: Invoice): Promise<bigint> {
  const tx = await transactionOf(db);
  await lockShard(tx, shardOf(invoice.organisationId));
  await tx.query('DELETE FROM invoice_line WHERE invoice_id = $1', [invoice.id]);
  const { rows } = await tx.query<Row>(LINES, [
    invoice.organisationId,
    MAX_LINES + 1,
    invoice.month,
  ]);
  if (rows.length > MAX_LINES) throw new RangeError(`more than ${MAX_LINES} lines`);
  await insertLines(tx, invoice, rows.map(withShownNames));
  await tx.query(NOTE_BOOKINGS, [invoice.id]);
  return rows.reduce((sum, row) => sum + row.amount, 0n);
}

async function insertLines(tx: Tx, invoice: Invoice, rows: readonly Row[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.query(
    `INSERT INTO invoice_line (id, organisation_id, invoice_id, kind, month, team_id, api_key_id,
       model_id, mcp_server_id, description, requests, tokens_in, tokens_out, amount_nano_usd,
       team_name, api_key_name, model_name, mcp_server_name)
     SELECT id, $1, $2, kind, month, team_id, api_key_id, model_id, mcp_server_id, description,
       requests, tokens_in, tokens_out, amount, team, api_key, model, mcp_server
     FROM unnest($3::uuid[], $4::text[], $5::date[], $6::uuid[], $7::uuid[], $8::uuid[], $9::uuid[],
       $10::text[], $11::bigint[], $12::bigint[], $13::bigint[], $14::bigint[],
       $15::text[], $16::text[], $17::text[], $18::text[]) AS lines(id, kind,
       month, team_id, api_key_id, model_id, mcp_server_id, description, requests, tokens_in,
       tokens_out, amount, team, api_key, model, mcp_server)`,
    [
      invoice.organisationId,
      invoice.id,
      rows.map(() => uuidv7()),
      rows.map((row) => (row.month === invoice.month ? 'USAGE' : 'ADJUSTMENT')),
      rows.map((row) => row.month),
      rows.map((row) => row.team_id),
      rows.map((row) => row.api_key_id),
      rows.map((row) => row.model_id),
      rows.map((row) => row.mcp_server_id),
      rows.map((row) => descriptionOf(row, invoice.month)),
      rows.map((row) => row.requests),
      rows.map((row) => row.tokens_in),
      rows.map((row) => row.tokens_out),
      rows.map((row) => row.amount),
      rows.map((row) => row.team),
      rows.map((row) => row.api_key),
      rows.map((row) => row.model),
      rows.map((row) => row.mcp_server),
    ],
  );
}

const withShownNames = (row: Row): Row => ({
  ...row,
  team: row.team && shownName(row.team, row.team_id),
  model: row.model && shownName(row.model, row.model_id),
});

function descriptionOf(row: Row, own: string): string {
  const { month, team, api_key: key } = row;
  const what = `${servedBy(row)}, key ${key ?? 'unknown'}${team === null ? '' : `, team ${team}`}`;
  return month === own ? what : `Adjustment of ${month.slice(0, 7)}: ${what}`;
}

function servedBy({ model, mcp_server_id: serverId, mcp_server: server }: Row): string {
  if (serverId !== null) return `MCP server ${server ?? 'deleted'}`;
  return model ?? 'no model';
}
