import type { Clock, Logger, Metrics, Reading } from '@tollgate/kit';
import type { Pool } from 'pg';

import { scraped, type Scraped } from '../../db';
import { shownName } from '../../entities/freed-name';

/** Names are read again after this time. */
const FRESH_MS = 60_000;
// The help of the metrics names them.
const MOST_ORGANISATIONS = 500;
const MOST_TEAMS = 1_000;

/** The organisations with the most requests in this month and the last one, and their teams. */
const ORGANISATIONS = `
  SELECT o.id AS organisation, o.name
  FROM (
    SELECT organisation_id, sum(requests) AS requests
    FROM usage_period
    WHERE period = 'WHOLE_MONTH' AND NOT owners AND starts >= $1
    GROUP BY organisation_id
    ORDER BY requests DESC
    LIMIT ${String(MOST_ORGANISATIONS)}
  ) busiest
  JOIN organisation o ON o.id = busiest.organisation_id`;
const TEAMS = `
  SELECT t.organisation_id AS organisation, t.id AS team, t.name
  FROM (
    SELECT team_id, sum(requests) AS requests
    FROM usage_period
    WHERE organisation_id = ANY($1) AND period = 'OWNER_MONTH' AND owners AND starts >= $2 AND team_id IS NOT NULL
    GROUP BY team_id
    ORDER BY requests DESC
    LIMIT ${String(MOST_TEAMS)}
  ) busiest
  JOIN team t ON t.id = busiest.team_id`;

interface Organisation {
  readonly organisation: string;
  readonly name: string;
}
interface Team extends Organisation {
  readonly team: string;
}

/**
 * Gauges that are always 1 and whose labels are the names of the busiest tenants, for dashboards that join them to
 * the series of the edges, which have ids. When the database does not answer they keep what they had.
 */
export function createTenantNames(deps: {
  pool: Pool;
  metrics: Metrics;
  log: Logger;
  clock: Clock;
}): Scraped {
  const { pool, metrics, log, clock } = deps;
  let organisations: readonly Organisation[] = [];
  let teams: readonly Team[] = [];
  let readAtMs = Number.NEGATIVE_INFINITY;
  metrics.gaugeReadings(
    'tollgate_organisation_info',
    'Names of organisations: 1 for each of the 500 with the most requests in this month and the last one.',
    ['organisation', 'name'],
    'max',
    () => organisations.map(infoOf),
  );
  metrics.gaugeReadings(
    'tollgate_team_info',
    'Names of teams of these organisations: 1 for each of the 1000 with the most requests.',
    ['organisation', 'team', 'name'],
    'max',
    () => teams.map(infoOf),
  );

  return scraped(log, 'names of tenants', async () => {
    const nowMs = clock.now();
    if (nowMs - readAtMs < FRESH_MS) return;
    readAtMs = nowMs;
    const since = lastMonth(nowMs);
    const found = await pool.query<Organisation>(ORGANISATIONS, [since]);
    const ids = found.rows.map(({ organisation }) => organisation);
    const foundTeams = await pool.query<Team>(TEAMS, [ids, since]);
    teams = foundTeams.rows.map((row) => ({ ...row, name: shownName(row.name, row.team) }));
    organisations = found.rows;
  });
}

const infoOf = (labels: Organisation | Team): Reading => ({ labels: { ...labels }, value: 1 });

/** The first day of the month before, as months of usage begin. */
function lastMonth(nowMs: number): string {
  const now = new Date(nowMs);
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, 1))
    .toISOString()
    .slice(0, 10);
}
