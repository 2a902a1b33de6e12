import { formatUsd, rest } from '@tollgate/contracts';
import { z } from 'zod';
import type { Call } from '../../rest/call';
import { invalid } from '../../rest/refusals';

/** Sums of usage, read from the hourly rollup alone: a year of a busy tenant is a few pages. */

const HOUR_MS = 3_600_000;
const DEFAULT_SPAN_MS = 30 * 24 * HOUR_MS;

type Dimension = { readonly column: string; readonly name: string };

/** Where a dimension's id is found, and the name of what it means (also of what is deleted). */
const DIMENSIONS: Readonly<Record<rest.RollupDimension, Dimension>> = {
  model: { column: 'model_id', name: 'SELECT name FROM model WHERE id = g.id' },
  apikey: { column: 'api_key_id', name: 'SELECT name FROM api_key WHERE id = g.id' },
  team: { column: 'team_id', name: 'SELECT name FROM team WHERE id = g.id' },
  user: { column: 'user_id', name: 'SELECT name FROM user_account WHERE id = g.id' },
  provider: { column: 'provider_id', name: 'SELECT name FROM provider WHERE id = g.id' },
};

const FILTERS = {
  teamId: 'team_id',
  userId: 'user_id',
  apiKeyId: 'api_key_id',
  modelId: 'model_id',
  providerId: 'provider_id',
} as const;

const SUMS = [
  'requests',
  'errors',
  'tokens_in',
  'tokens_out',
  'cost_nano_usd',
  'latency_ms',
  'latency_count',
  'input_tokens',
  'cache_read_tokens',
  'cache_write_5m_tokens',
  'cache_write_1h_tokens',
  'audio_input_tokens',
  'output_tokens',
  'audio_output_tokens',
  'reasoning_tokens',
] as const;

const sum = z.string().transform((text) => BigInt(text));
const sums = z.object(
  Object.fromEntries(SUMS.map((name) => [name, sum])) as Record<(typeof SUMS)[number], typeof sum>,
);
const groups = z.array(
  sums.extend({
    start: z.date().nullable(),
    id: z.string().nullable(),
    name: z.string().nullable(),
  }),
);

export async function rollup(call: Call<typeof rest.getUsageRollup>): Promise<rest.UsageRollup> {
  const { query, organisation, nowMs } = call;
  const toMs = query.to === undefined ? nowMs : Date.parse(query.to);
  const fromMs = query.from === undefined ? toMs - DEFAULT_SPAN_MS : Date.parse(query.from);
  if (fromMs >= toMs) throw invalid('from', 'does not lie before `to`');
  const from = new Date(Math.floor(fromMs / HOUR_MS) * HOUR_MS);
  const to = new Date(Math.ceil(toMs / HOUR_MS) * HOUR_MS);
  const rows = groups.parse(await call.db.query(...statement(call, from, to)));
  if (rows.length > rest.ROLLUP_ROWS) {
    throw invalid(
      'bucket',
      `more than ${rest.ROLLUP_ROWS} rows: ask for a shorter span or wider buckets`,
    );
  }
  return {
    from: from.toISOString(),
    to: to.toISOString(),
    timeZone: organisation.timeZone,
    bucket: query.bucket,
    groupBy: query.groupBy ?? null,
    data: rows.map((row) => represent(row, query.groupBy !== undefined)),
  };
}

function statement(
  call: Call<typeof rest.getUsageRollup>,
  from: Date,
  to: Date,
): [sql: string, parameters: unknown[]] {
  const { query, organisation, access } = call;
  const parameters: unknown[] = [organisation.id, from, to];
  const bind = (value: unknown): string => `$${parameters.push(value)}`;
  const conditions = ['organisation_id = $1', 'hour >= $2', 'hour < $3'];
  for (const [field, column] of Object.entries(FILTERS)) {
    const value = query[field as keyof typeof FILTERS];
    if (value !== undefined) conditions.push(`${column} = ${bind(value)}`);
  }
  if (access.reach === 'teams' || access.reach === 'self') {
    const teams = access.reach === 'teams' ? access.managedTeamIds : [];
    conditions.push(
      `(user_id = ${bind(access.userId)} OR team_id = ANY(${bind([...teams])}::uuid[]))`,
    );
  }
  const start =
    query.bucket === 'total'
      ? 'NULL::timestamptz'
      : `date_trunc('${query.bucket}', hour, ${bind(organisation.timeZone)})`;
  const dimension = query.groupBy === undefined ? undefined : DIMENSIONS[query.groupBy];
  const sql = `
    SELECT g.*, ${dimension === undefined ? 'NULL' : `(${dimension.name})`} AS name FROM (
      SELECT ${start} AS start, ${dimension?.column ?? 'NULL::uuid'} AS id,
        ${SUMS.map((name) => `coalesce(sum(${name}), 0)::text AS ${name}`).join(', ')}
      FROM usage WHERE ${conditions.join(' AND ')}
      GROUP BY 1, 2 HAVING count(*) > 0
      ORDER BY 1, 2 LIMIT ${rest.ROLLUP_ROWS + 1}
    ) AS g ORDER BY g.start, g.cost_nano_usd::numeric DESC, g.id`;
  return [sql, parameters];
}

function represent(
  row: z.output<typeof groups>[number],
  grouped: boolean,
): rest.UsageRollup['data'][number] {
  const latencyCount = Number(row.latency_count);
  return {
    start: row.start?.toISOString() ?? null,
    group: grouped ? { id: row.id, name: row.name } : null,
    requests: Number(row.requests),
    errors: Number(row.errors),
    tokensIn: Number(row.tokens_in),
    tokensOut: Number(row.tokens_out),
    tokens: {
      input: Number(row.input_tokens),
      cacheRead: Number(row.cache_read_tokens),
      cacheWrite5m: Number(row.cache_write_5m_tokens),
      cacheWrite1h: Number(row.cache_write_1h_tokens),
      audioInput: Number(row.audio_input_tokens),
      output: Number(row.output_tokens),
      audioOutput: Number(row.audio_output_tokens),
      reasoning: Number(row.reasoning_tokens),
    },
    costUsd: formatUsd(row.cost_nano_usd),
    meanLatencyMs: latencyCount === 0 ? null : Math.round(Number(row.latency_ms) / latencyCount),
  };
}
