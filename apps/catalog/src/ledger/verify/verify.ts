import type { Pool, PoolClient } from 'pg';

import { inTransaction } from '../../db';
import { AMOUNT_COLUMNS } from '../records/amounts';
import { GRAINS } from '../rollups/period-sql';
import { findWindowBreaches } from '../windows/windows';
import { findValueBreaches, type ValueBreach } from './value-windows';

export interface WindowBreach {
  kind: 'BUDGET' | 'QUOTA';
  limitId: string;
  organisationId: string;
  startMs: number;
  endMs: number;
  /** The total in the window row. */
  booked: bigint;
  /** The sum of records and adjustments. */
  truth: bigint;
}

export interface OrganisationTotals {
  organisationId: string;
  slug: string | null;
  records: bigint;
  abandoned: bigint;
  adjustments: bigint;
  /** Of records and adjustments together. */
  costNanoUsd: bigint;
  tokensIn: bigint;
  tokensOut: bigint;
  estimateShortfallNanoUsd: bigint;
}

export interface LedgerVerification {
  ok: boolean;
  windowsChecked: bigint;
  /** At most `MAX_BREACHES`. */
  windowBreaches: WindowBreach[];
  /** Totals of limits on each value; at most `MAX_BREACHES`. */
  valueBreaches: ValueBreach[];
  /** Organisations with a rollup that disagrees with their records and adjustments. */
  rollupBreaches: string[];
  /** Requests whose usage record and MCP record disagree, or lack each other; at most `MAX_BREACHES`. */
  mcpBreaches: string[];
  quarantined: bigint;
  estimateShortfallNanoUsd: bigint;
  organisations: OrganisationTotals[];
}

const MAX_BREACHES = 100;

/**
 * Checks the books against themselves in one snapshot: every window row and every rollup must equal
 * the sum of its records and adjustments, and each request to an MCP server must have one MCP record.
 * Removed records count with the sums in `usage_removed`.
 * It reads every record, so it needs a database opened with a long `statementTimeoutMs`.
 */
export function verifyLedger(pool: Pool): Promise<LedgerVerification> {
  return inTransaction(
    pool,
    async (tx) => {
      const breaches = await findWindowBreaches(tx, MAX_BREACHES);
      const valueBreaches = await findValueBreaches(tx, MAX_BREACHES);
      const rollupBreaches = await findRollupBreaches(tx);
      const mcpBreaches = await findMcpBreaches(tx);
      const organisations = await organisationTotals(tx);
      return {
        ok: [breaches, valueBreaches, rollupBreaches, mcpBreaches].every(
          (found) => found.length === 0,
        ),
        windowsChecked: await count(
          tx,
          `(SELECT 1 FROM budget_window UNION ALL SELECT 1 FROM quota_window
            UNION ALL SELECT 1 FROM value_window) AS windows`,
        ),
        windowBreaches: breaches.map(({ total, ...breach }) => ({ ...breach, booked: total })),
        valueBreaches,
        rollupBreaches,
        mcpBreaches,
        quarantined: await count(tx, `ledger_quarantine WHERE status = 'OPEN'`),
        estimateShortfallNanoUsd: organisations.reduce(
          (sum, organisation) => sum + organisation.estimateShortfallNanoUsd,
          0n,
        ),
        organisations,
      };
    },
    'REPEATABLE READ READ ONLY',
  );
}

const SUMS = AMOUNT_COLUMNS.map((column) => `sum(${column}) AS ${column}`).join(', ');

const ROLLUPS = ['usage', ...GRAINS.map(({ period, owners }) => `${period}${owners}`)]
  .map((name) => `('${name}')`)
  .join(', ');

/**
 * Organisations with a rollup that disagrees with the books, sorted by id: the first `MAX_BREACHES`
 * after the id `after`.
 */
export async function findRollupBreaches(tx: PoolClient, after?: string): Promise<string[]> {
  const columns = AMOUNT_COLUMNS.join(', ');
  const { rows } = await tx.query<{ organisation_id: string }>(
    `
    WITH booked AS (
      SELECT organisation_id, ${SUMS} FROM (
        SELECT organisation_id, ${columns} FROM usage_record
        UNION ALL SELECT organisation_id, ${columns} FROM usage_adjustment
        UNION ALL SELECT organisation_id, ${columns} FROM usage_removed) AS bookings
      GROUP BY organisation_id
    ), rolled AS (
      SELECT 'usage' AS rollup, organisation_id, ${SUMS} FROM usage GROUP BY organisation_id
      UNION ALL
      SELECT period || owners, organisation_id, ${SUMS} FROM usage_period
      GROUP BY period, owners, organisation_id
    ), rollups (rollup) AS (
      VALUES ${ROLLUPS}
    )
    SELECT DISTINCT coalesce(b.organisation_id, r.organisation_id) AS organisation_id
    FROM (SELECT * FROM booked CROSS JOIN rollups) AS b
      FULL JOIN rolled r USING (organisation_id, rollup)
    WHERE (${AMOUNT_COLUMNS.map((c) => `b.${c}`).join(', ')})
      IS DISTINCT FROM (${AMOUNT_COLUMNS.map((c) => `r.${c}`).join(', ')})
      AND ($1::uuid IS NULL OR coalesce(b.organisation_id, r.organisation_id) > $1::uuid)
    ORDER BY 1 LIMIT ${MAX_BREACHES}`,
    [after ?? null],
  );
  return rows.map((row) => row.organisation_id);
}

const SHARED =
  'id, organisation_id, team_id, user_id, api_key_id, mcp_server_id, mode, outcome, cost_nano_usd';

async function findMcpBreaches(tx: PoolClient): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>(
    `SELECT coalesce(r.id, m.id) AS id
     FROM (SELECT ${SHARED}, authorised_at FROM usage_record WHERE mcp_server_id IS NOT NULL) AS r
       FULL JOIN (SELECT ${SHARED}, called_at FROM mcp_usage_record) AS m USING (id)
     WHERE r IS DISTINCT FROM m
     ORDER BY 1 LIMIT ${MAX_BREACHES}`,
  );
  return rows.map((row) => row.id);
}

async function organisationTotals(tx: PoolClient): Promise<OrganisationTotals[]> {
  const { rows } = await tx.query<OrganisationTotals>(`
    SELECT b.organisation_id AS "organisationId", o.slug,
      sum(b.records)::bigint AS records,
      sum(b.abandoned)::bigint AS abandoned,
      sum(b.adjustments)::bigint AS adjustments,
      sum(b.cost_nano_usd)::bigint AS "costNanoUsd",
      sum(b.tokens_in)::bigint AS "tokensIn",
      sum(b.tokens_out)::bigint AS "tokensOut",
      sum(b.shortfall)::bigint AS "estimateShortfallNanoUsd"
    FROM (
      SELECT organisation_id, 1 AS records, (mode = 'ABANDONED')::integer AS abandoned,
        0 AS adjustments, cost_nano_usd, tokens_in, tokens_out,
        estimate_shortfall_nano_usd AS shortfall FROM usage_record
      UNION ALL
      SELECT organisation_id, 0, 0, 1, cost_nano_usd, tokens_in, tokens_out, 0 FROM usage_adjustment
      UNION ALL
      SELECT organisation_id, records, abandoned, adjustments, cost_nano_usd, tokens_in, tokens_out,
        estimate_shortfall_nano_usd FROM usage_removed
    ) AS b LEFT JOIN organisation o ON o.id = b.organisation_id
    GROUP BY b.organisation_id, o.slug ORDER BY o.slug NULLS LAST, b.organisation_id`);
  return rows;
}

/** `what` must be a trusted table expression. */
async function count(tx: PoolClient, what: string): Promise<bigint> {
  const { rows } = await tx.query<{ count: bigint }>(`SELECT count(*) AS count FROM ${what}`);
  return rows[0]?.count ?? 0n;
}
