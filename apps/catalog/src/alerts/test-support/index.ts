import type { rest } from '@tollgate/contracts';
import { uuidv7 } from '@tollgate/kit';
import type { Pool } from 'pg';

/** Rows for tests of alerts. */

export interface Owner {
  readonly organisationId: string | null;
}

/** A rule, of a tenant or of the platform; returns its id. */
export async function createRule(
  pool: Pool,
  { organisationId }: Owner,
  condition: rest.AlertCondition,
  destinationIds: readonly string[] = [],
): Promise<string> {
  const id = uuidv7();
  await pool.query(
    'INSERT INTO alert_rule (id, organisation_id, name, kind, condition) VALUES ($1, $2, $3, $4, $5)',
    [id, organisationId, 'a rule', condition.kind, JSON.stringify(condition)],
  );
  await pool.query('INSERT INTO alert_rule_destination SELECT $1::uuid, unnest($2::uuid[])', [
    id,
    destinationIds,
  ]);
  return id;
}

/** A mail destination; returns its id. */
export async function createMailDestination(
  pool: Pool,
  { organisationId }: Owner,
  email = 'ops@example.com',
): Promise<string> {
  const id = uuidv7();
  await pool.query(
    `INSERT INTO alert_destination (id, organisation_id, name, kind, email)
     VALUES ($1, $2, 'mail', 'EMAIL', $3)`,
    [id, organisationId, email],
  );
  return id;
}

/** What a budget has spent in a window, as the ledger would write it. */
export async function setSpent(
  pool: Pool,
  budgetId: string,
  span: { startsAt: string; endsAt: string },
  nanoUsd: bigint,
): Promise<void> {
  await pool.query(
    `INSERT INTO budget_window (budget_id, organisation_id, starts_at, ends_at, spent_nano_usd)
     SELECT id, organisation_id, $2, $3, $4 FROM budget WHERE id = $1
     ON CONFLICT (budget_id, starts_at, ends_at)
       DO UPDATE SET spent_nano_usd = excluded.spent_nano_usd`,
    [budgetId, span.startsAt, span.endsAt, nanoUsd.toString()],
  );
}

export interface RaisedRow {
  subject_id: string;
  threshold: number;
  limit_amount: bigint;
  value: bigint;
  title: string;
  text: string;
  organisation_id: string | null;
}

/** The alerts of a rule, oldest first. */
export async function alertsOf(pool: Pool, ruleId: string): Promise<RaisedRow[]> {
  const { rows } = await pool.query<RaisedRow>(
    'SELECT * FROM alert WHERE rule_id = $1 ORDER BY id',
    [ruleId],
  );
  return rows;
}
