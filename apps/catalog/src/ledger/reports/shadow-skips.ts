import type { KeyRefusals__Output } from '@tollgate/contracts/node';
import type { Pool } from 'pg';

import { iso } from './report-values';

// Sorted, so that two replicas cannot deadlock. Experiments that are gone are left out, and so are keys.
const ADD = `
  INSERT INTO experiment_shadow_skip AS s (organisation_id, experiment_id, code, count, first_at, last_at)
  SELECT e.organisation_id, e.id, u.code, sum(u.count), min(u.first_at), max(u.last_at)
  FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::bigint[], $5::timestamptz[], $6::timestamptz[])
    AS u(organisation_id, experiment_id, code, count, first_at, last_at)
  JOIN experiment e ON e.organisation_id = u.organisation_id AND e.id = u.experiment_id
  GROUP BY e.organisation_id, e.id, u.code ORDER BY e.id, u.code
  ON CONFLICT (experiment_id, code) DO UPDATE SET
    count = s.count + excluded.count,
    first_at = least(s.first_at, excluded.first_at),
    last_at = greatest(s.last_at, excluded.last_at)`;

/** Adds up why shadows were not sent. Policies report them like refusals of a key with the experiment's id. */
export async function addShadowSkips(
  pool: Pool,
  rows: readonly KeyRefusals__Output[],
): Promise<void> {
  await pool.query({
    name: 'ledger-report-shadow-skips',
    text: ADD,
    values: [
      rows.map((row) => row.organisationId),
      rows.map((row) => row.apiKeyId),
      rows.map((row) => row.code),
      rows.map((row) => row.count),
      rows.map((row) => iso(row.firstAtMs)),
      rows.map((row) => iso(row.lastAtMs)),
    ],
  });
}
