import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { migrateUp, openDatabase, rebuildRollups } from '@tollgate/catalog';
import { Pool } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';

import { RECORD_COLUMNS, recordLines } from './records';
import { insertOrganisations, makeOrganisations, type Organisation } from './tenants';
import { startBenchCatalog } from './time-queries';

const MONTH_MS = 30 * 86_400_000;

export interface Load {
  url: string;
  records: number;
  seed: number;
  nowMs: number;
  months: number;
}

/**
 * Fills an empty database: organisations, records by COPY into a table without its further indexes
 * (recreated afterwards), some corrections, audit events, and rollups.
 */
export async function load(
  plan: Load,
  say: (line: string) => void,
): Promise<{ organisations: Organisation[]; startMs: number }> {
  const { url, records, seed, nowMs, months } = plan;
  const startMs = nowMs - months * MONTH_MS;
  const organisations = makeOrganisations(seed, startMs);
  await migrateUp(url);
  // The first start creates the administrator of the measured queries.
  await (await startBenchCatalog(url)).stop();
  const database = await openDatabase({ url, poolSize: 2, statementTimeoutMs: 7_200_000 });
  const pool = new Pool({ connectionString: url, max: 2 });
  try {
    await insertOrganisations(pool, organisations);
    await cutPartitions(pool, startMs, nowMs);
    const definitions = await dropIndexes(pool);
    say('copying records');
    await copy(pool, recordLines({ seed, records, startMs, endMs: nowMs, organisations }));
    for (const definition of definitions) {
      say(definition);
      await pool.query(definition);
    }
    await addAdjustments(pool);
    await addAuditEvents(pool, organisations);
    say('summing up');
    await rebuildRollups(database.pool);
    await pool.query('VACUUM (ANALYZE)');
    return { organisations, startMs };
  } finally {
    await pool.end();
    await database.close();
  }
}

async function cutPartitions(pool: Pool, startMs: number, endMs: number): Promise<void> {
  const floor = (ms: number): string => {
    const hex = ms.toString(16).padStart(12, '0');
    return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
  };
  const first = new Date(startMs);
  for (let at = 0; ; at += 1) {
    const from = Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + at);
    if (from > endMs) return;
    const to = Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + at + 1);
    const name = `usage_record_${new Date(from).toISOString().slice(0, 7).replace('-', '_')}`;
    await pool.query(`CREATE TABLE IF NOT EXISTS ${name} PARTITION OF usage_record
      FOR VALUES FROM ('${floor(from)}') TO ('${floor(to)}')`);
  }
}

async function dropIndexes(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ indexname: string; indexdef: string }>(
    `SELECT indexname, indexdef FROM pg_indexes
     WHERE tablename = 'usage_record' AND indexname <> 'usage_record_pkey'`,
  );
  for (const { indexname } of rows) await pool.query(`DROP INDEX ${indexname}`);
  return rows.map(({ indexdef }) => indexdef.replace(' ON ONLY ', ' ON '));
}

async function copy(pool: Pool, lines: Iterable<string>): Promise<void> {
  const client = await pool.connect();
  try {
    const into = client.query(copyFrom(`COPY usage_record (${RECORD_COLUMNS}) FROM STDIN`));
    await pipeline(Readable.from(lines, { objectMode: true, highWaterMark: 8 }), into);
  } finally {
    client.release();
  }
}

/** A thousandth of the requests is corrected by a cent. */
async function addAdjustments(pool: Pool): Promise<void> {
  await pool.query(`
    INSERT INTO usage_adjustment (id, request_id, organisation_id, team_id, user_id, api_key_id,
      model_id, provider_id, authorised_at, kind, reason, cost_nano_usd, requests, errors, tokens_in,
      tokens_out, upstream_ms, created_at)
    SELECT gen_random_uuid(), id, organisation_id, team_id, user_id, api_key_id, model_id, provider_id,
      authorised_at, 'CORRECTION', 'benchmark', 10000000, 0, 0, 0, 0, 0, authorised_at
    FROM usage_record WHERE seq % 1000 = 0`);
}

const AUDIT_EVENTS = 200_000;

async function addAuditEvents(pool: Pool, organisations: readonly Organisation[]): Promise<void> {
  await pool.query(
    `INSERT INTO audit_event (id, organisation_id, actor_kind, action, target_type, target_id, details,
       created_at)
     SELECT gen_random_uuid(), ($1::uuid[])[1 + n % $2], 'SYSTEM', 'apikey.update', 'api_key',
       (n % 5000)::text, '{"before":{"name":"a"},"after":{"name":"b"}}',
       now() - make_interval(secs => n * 60)
     FROM generate_series(1, $3) AS n`,
    [organisations.map(({ id }) => id), organisations.length, AUDIT_EVENTS],
  );
}
