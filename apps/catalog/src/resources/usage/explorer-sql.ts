import { formatUsd, type rest } from '@tollgate/contracts';
import { z } from 'zod';

import { percentileMs } from '../../ledger/rollups/latency';
import {
  FIRST_TOKEN_COUNTS,
  LATENCY_COUNTS,
  PERIOD_COUNTS,
  type Period,
} from '../../ledger/rollups/period-sql';
import { recordRows, type RecordSpan } from './explorer-records';
import type { Segment } from './explorer-span';

/** SQL over the rollups, and the parsing of its rows. External values are always parameters. */

interface Dimension {
  readonly column: string;
  readonly owner: boolean;
  readonly detail: boolean;
  readonly name: string;
}

/** The column of each dimension, and the SQL for its name, including deleted objects. */
export const DIMENSIONS: Readonly<Record<rest.ExplorerDimension, Dimension>> = {
  organisation: dimension('organisation_id', 'none', 'organisation'),
  team: dimension('team_id', 'owner', 'team'),
  user: dimension('user_id', 'owner', 'user_account'),
  apikey: dimension('api_key_id', 'owner', 'api_key'),
  model: dimension('model_id', 'detail', 'model'),
  provider: dimension('provider_id', 'detail', 'provider'),
  'mcp-server': dimension('mcp_server_id', 'detail', 'mcp_server'),
  status: { column: 'status', owner: false, detail: true, name: 'NULL::text' },
  operation: { column: 'operation', owner: false, detail: true, name: 'NULL::text' },
  region: { column: 'regions', owner: false, detail: true, name: 'NULL::text' },
  'end-user': { column: 'end_user', owner: false, detail: true, name: 'NULL::text' },
  session: { column: 'session', owner: false, detail: true, name: 'NULL::text' },
  'agent-class': { column: 'agent_class', owner: false, detail: true, name: 'NULL::text' },
  'response-cache': { column: 'response_cache', owner: false, detail: true, name: 'NULL::text' },
  experiment: dimension('experiment_id', 'detail', 'experiment'),
  'experiment-arm': { column: 'experiment_arm', owner: false, detail: true, name: 'NULL::text' },
  'routing-policy': dimension('routing_policy_id', 'detail', 'routing_policy'),
  tag: { column: 'tag_value', owner: false, detail: true, name: 'NULL::text' },
};

function dimension(column: string, of: 'owner' | 'detail' | 'none', table: string): Dimension {
  return {
    column,
    owner: of === 'owner',
    detail: of === 'detail',
    name: `(SELECT t.name FROM ${table} t WHERE t.id = g.id::uuid)`,
  };
}

const SUMS = [
  'requests',
  'errors',
  'tokens_in',
  'tokens_out',
  'cost_nano_usd',
  'cache_saved_nano_usd',
  'routing_saved_nano_usd',
  'input_tokens',
  'cache_read_tokens',
  'cache_write_5m_tokens',
  'cache_write_1h_tokens',
  'audio_input_tokens',
  'image_input_tokens',
  'output_tokens',
  'audio_output_tokens',
  'image_output_tokens',
  'reasoning_tokens',
  'latency_ms',
  'latency_count',
] as const;
const MEASURED = ['first_token_ms', 'first_token_count', ...PERIOD_COUNTS] as const;

export const ORDERS: Readonly<Record<rest.ExplorerMeasure, string>> = {
  costUsd: 'sum(cost_nano_usd)',
  requests: 'sum(requests)',
  errors: 'sum(errors)',
  tokens: 'sum(tokens_in) + sum(tokens_out)',
};

/** Conditions and their parameters, collected while a statement is built. */
export interface Conditions {
  readonly texts: string[];
  readonly values: unknown[];
}

/** What to read: rows of these segments that meet the conditions. */
export interface Source {
  readonly segments: readonly Segment[];
  readonly conditions: Conditions;
  /** Rows keyed by team, user and key. */
  readonly owners: boolean;
  /** Rows keyed by model, provider, MCP server, operation and status. */
  readonly detail: boolean;
  /** Includes latency percentiles. */
  readonly latency: boolean;
  /** The zone of the days and months of a series. */
  readonly timeZone: string;
  /** Read records of this span instead of rollups, with the value of this tag. */
  readonly records: RecordSpan | undefined;
}

export interface Statement {
  readonly text: string;
  readonly values: unknown[];
}

/**
 * Hours by owner are only in the hourly rollup, which has no latency histogram, status or
 * operation.
 */
export const readsHours = ({
  segments,
  owners,
  records,
}: Pick<Source, 'segments' | 'owners' | 'records'>): boolean =>
  records === undefined && owners && segments.some(({ period }) => period === 'HOUR');

/** One row of sums; with `by`, one for each value, largest first. */
export function sumsOf(
  source: Source,
  by?: { dimension: rest.ExplorerDimension; orderBy: rest.ExplorerMeasure; top: number },
): Statement {
  const write = writer(source);
  if (by === undefined) {
    return { text: `SELECT ${write.sums} FROM ${write.rows}`, values: write.values };
  }
  const { column, name } = DIMENSIONS[by.dimension];
  const text = `SELECT g.*, ${name} AS name FROM (
      SELECT ${column}::text AS id, count(*) OVER () AS groups, ${write.sums}
      FROM ${write.rows} GROUP BY ${column}
      ORDER BY ${ORDERS[by.orderBy]} DESC, ${column} LIMIT ${write.bind(by.top)}
    ) AS g`;
  return { text, values: write.values };
}

/** Values of a dimension: the given ones, or all. */
export interface By {
  readonly dimension: rest.ExplorerDimension;
  readonly ids?: readonly (string | null)[];
}

/** Rows by bucket, and by values of a dimension if given; at most `limit` and one more. */
export function seriesOf(
  source: Source,
  bucket: rest.RollupBucket,
  limit: number,
  by?: By,
): Statement {
  const write = writer(source, by);
  const start = startSql(source, bucket, write.bind);
  const id = by === undefined ? 'NULL::text' : `${DIMENSIONS[by.dimension].column}::text`;
  const text = `SELECT ${start} AS start, ${id} AS id, ${write.sums} FROM ${write.rows}
    GROUP BY 1, 2 HAVING count(*) > 0 ORDER BY 1, 2 LIMIT ${write.bind(limit + 1)}`;
  if (by === undefined) return { text, values: write.values };
  const named = `SELECT g.*, ${DIMENSIONS[by.dimension].name} AS name FROM (${text}) AS g
    ORDER BY g.start, g.cost_nano_usd::numeric DESC, g.id`;
  return { text: named, values: write.values };
}

/** SQL of the instant at which the bucket of a row begins. */
function startSql(
  source: Source,
  bucket: rest.RollupBucket,
  bind: (value: unknown) => string,
): string {
  if (bucket === 'total') return 'NULL::timestamptz';
  const zone = (): string => bind(bucket === 'hour' ? 'UTC' : source.timeZone);
  if (source.records) return `date_trunc('${bucket}', starts, ${zone()})`;
  if (readsHours(source)) return 'starts';
  if (bucket === 'hour') return `starts AT TIME ZONE 'UTC'`;
  return `date_trunc('${bucket}', starts) AT TIME ZONE ${zone()}`;
}

/** The same sums for given values of a dimension. */
export function sumsAt(source: Source, by: By): Statement {
  const write = writer(source, by);
  const { column } = DIMENSIONS[by.dimension];
  const text = `SELECT ${column}::text AS id, ${write.sums} FROM ${write.rows} GROUP BY ${column}`;
  return { text, values: write.values };
}

/** Questions without detail are answered from narrow rows, which are far fewer. */
function narrowed(period: Segment['period'], { owners, detail }: Source): Period {
  if (detail || period === 'HOUR') return period;
  return owners ? `OWNER_${period}` : `WHOLE_${period}`;
}

function writer(source: Source, by?: By) {
  const values = [...source.conditions.values];
  const bind = (value: unknown): string => `$${values.push(value)}`;
  const conditions = [...source.conditions.texts];
  if (by?.ids !== undefined) {
    const { column } = DIMENSIONS[by.dimension];
    const type = column.endsWith('_id') ? 'uuid' : 'text';
    const ids = bind(by.ids.filter((id) => id !== null));
    const none = by.ids.includes(null) ? ` OR ${column} IS NULL` : '';
    conditions.push(`(${column} = ANY(${ids}::${type}[])${none})`);
  }
  const hours = readsHours(source);
  const { records } = source;
  const names: string[] = [...SUMS];
  if (source.latency && !hours && !records) names.push(...MEASURED);
  if (records) {
    return {
      values,
      bind,
      sums: sumsText(names),
      rows: `(${recordRows(records, conditions, bind)}) AS rows`,
    };
  }
  const parts = source.segments.map(({ period, from, to }) => {
    const own = hours
      ? [`hour >= ${bind(`${from}Z`)}`, `hour < ${bind(`${to}Z`)}`]
      : [
          `period = '${narrowed(period, source)}'`,
          source.owners ? 'owners' : 'NOT owners',
          `starts >= ${bind(from)}`,
          `starts < ${bind(to)}`,
        ];
    const table = hours ? '(SELECT *, hour AS starts FROM usage) AS usage' : 'usage_period';
    return `SELECT * FROM ${table} WHERE ${[...conditions, ...own].join(' AND ')}`;
  });
  return {
    values,
    bind,
    sums: sumsText(names),
    rows: `(${parts.join(' UNION ALL ')}) AS rows`,
  };
}

const sumsText = (names: readonly string[]): string =>
  names.map((name) => `coalesce(sum(${name}), 0)::text AS ${name}`).join(', ');

export const sumsRow = z.looseObject(
  Object.fromEntries(SUMS.map((name) => [name, z.string()])) as Record<
    (typeof SUMS)[number],
    z.ZodString
  >,
);
export const groupRows = z.array(
  sumsRow.extend({ id: z.string().nullable(), name: z.string().nullable(), groups: z.string() }),
);
export const idRows = z.array(sumsRow.extend({ id: z.string().nullable() }));
export const seriesRows = z.array(
  sumsRow.extend({
    start: z.date().nullable(),
    id: z.string().nullable(),
    name: z.string().nullable().default(null),
  }),
);

export function measuresOf(row: z.output<typeof sumsRow>): rest.UsageMeasures {
  return {
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
      imageInput: Number(row.image_input_tokens),
      output: Number(row.output_tokens),
      audioOutput: Number(row.audio_output_tokens),
      imageOutput: Number(row.image_output_tokens),
      reasoning: Number(row.reasoning_tokens),
    },
    costUsd: formatUsd(BigInt(row.cost_nano_usd)),
    cacheSavedUsd: formatUsd(BigInt(row.cache_saved_nano_usd)),
    routingSavedUsd: formatUsd(BigInt(row.routing_saved_nano_usd)),
    latencyMs: percentilesOf(row, 'latency', LATENCY_COUNTS),
    firstTokenMs: percentilesOf(row, 'first_token', FIRST_TOKEN_COUNTS),
  };
}

function percentilesOf(
  row: Readonly<Record<string, unknown>>,
  what: 'latency' | 'first_token',
  names: readonly string[],
): rest.UsageMeasures['latencyMs'] {
  if (row[names[0] ?? ''] === undefined) return null;
  const counts = names.map((name) => Number(row[name]));
  const count = Number(row[`${what}_count`]);
  return {
    p50: percentileMs(counts, 0.5),
    p95: percentileMs(counts, 0.95),
    p99: percentileMs(counts, 0.99),
    mean: count === 0 ? null : Math.round(Number(row[`${what}_ms`]) / count),
    count,
  };
}
