import { formatUsd, rest } from '@tollgate/contracts';

import type { Call } from '../../rest/call';
import { invalid } from '../../rest/field-errors';
import { sourceOf } from './explorer-source';
import { spansOf } from './explorer-span';
import { measuresOf, seriesOf, seriesRows } from './explorer-sql';

/** The usage table of the API, read from the rollups alone. */

export async function rollup(call: Call<typeof rest.getUsageRollup>): Promise<rest.UsageRollup> {
  const { query, organisation, access, nowMs } = call;
  const { id: organisationId, timeZone } = organisation;
  const { bucket, groupBy } = query;
  const series = bucket === 'total' ? undefined : bucket;
  const { span, days } = spansOf(query, series, timeZone, nowMs);
  const longest = rest.EXPLORER_DAYS[series ?? 'month'];
  if (days > longest) throw invalid('from', `at most ${longest} days before \`to\``);
  const source = sourceOf({ query, organisationId, access, timeZone, latency: false }, span);
  const by = groupBy && { dimension: groupBy };
  const { text, values } = seriesOf(source, bucket, rest.ROLLUP_ROWS, by);
  const rows = seriesRows.parse(await call.db.query(text, values));
  if (rows.length > rest.ROLLUP_ROWS) {
    throw invalid(
      'bucket',
      `more than ${rest.ROLLUP_ROWS} rows: ask for a shorter span or wider buckets`,
    );
  }
  return {
    from: new Date(span.fromMs).toISOString(),
    to: new Date(span.toMs).toISOString(),
    timeZone,
    bucket,
    groupBy: groupBy ?? null,
    data: rows.map((row) => {
      const { latencyMs: _latency, firstTokenMs: _firstToken, ...measures } = measuresOf(row);
      const latencyCount = Number(row.latency_count);
      return {
        start: row.start?.toISOString() ?? null,
        group: groupBy === undefined ? null : { id: row.id, name: row.name },
        ...measures,
        costUsd: formatUsd(BigInt(row.cost_nano_usd)),
        meanLatencyMs:
          latencyCount === 0 ? null : Math.round(Number(row.latency_ms) / latencyCount),
      };
    }),
  };
}
