import { rest } from '@tollgate/contracts';
import type { EntityManager } from 'typeorm';
import type { z } from 'zod';

import { shownName } from '../../entities/freed-name';
import type { Access, Call } from '../../rest/call';
import { invalid } from '../../rest/field-errors';
import { byOwner, sourceOf } from './explorer-source';
import { spansOf, type Span } from './explorer-span';
import {
  groupRows,
  idRows,
  measuresOf,
  seriesOf,
  seriesRows,
  sumsAt,
  sumsOf,
  sumsRow,
  type Source,
  type Statement,
} from './explorer-sql';

/**
 * The usage explorer: totals, the largest groups and a series. From rollups; regions and attribution are summed
 * from records.
 */

type PlatformQuery = z.output<typeof rest.explorePlatformUsage.query>;
interface Asked {
  readonly db: EntityManager;
  readonly query: Omit<PlatformQuery, 'organisationId'>;
  readonly organisationId: string | undefined;
  readonly access: Access;
  readonly timeZone: string;
  readonly nowMs: number;
}

const SERIES_ROWS = 10_000;

export function explore(call: Call<typeof rest.exploreUsage>): Promise<rest.UsageExploration> {
  const { db, query, access, organisation, nowMs } = call;
  const { id: organisationId, timeZone } = organisation;
  return answer({ db, query, access, organisationId, timeZone, nowMs });
}

export function explorePlatform(
  call: Call<typeof rest.explorePlatformUsage>,
): Promise<rest.UsageExploration> {
  const { organisationId, ...query } = call.query;
  const { db, access, nowMs } = call;
  if (organisationId === undefined && byOwner(query, access)) {
    throw invalid('organisationId', 'is required to filter or group by team, user or key');
  }
  return answer({ db, query, access, organisationId, timeZone: 'UTC', nowMs });
}

async function answer(asked: Asked): Promise<rest.UsageExploration> {
  const { db, query, timeZone } = asked;
  const { bucket, groupBy } = query;
  const { span, before, days } = spansOf(query, bucket, timeZone, asked.nowMs);
  const longest = rest.EXPLORER_DAYS[bucket ?? 'month'];
  if (days > longest) throw invalid('from', `at most ${longest} days before \`to\``);
  const source = sourceOf({ ...asked, latency: query.latency === 'true' }, span);
  const earlier = withSpan(source, before);
  // Sums over all owners are separate rows, and far fewer.
  const { groupBy: _by, tagKey: _key, ...narrowed } = query;
  const whole = sourceOf({ ...asked, query: narrowed, latency: source.latency }, span);
  const compared = query.compare === 'true';

  const read = readerOf(db);
  const totals = await read.one(sumsOf(whole));
  const previous = compared ? await read.one(sumsOf(withSpan(whole, before))) : null;
  const { orderBy, top } = query;
  const groups =
    groupBy === undefined
      ? []
      : groupRows.parse(await read.rows(sumsOf(source, { dimension: groupBy, orderBy, top })));
  const by = groupBy && { dimension: groupBy, ids: groups.map(({ id }) => id) };
  const groupsBefore =
    by !== undefined && compared ? idRows.parse(await read.rows(sumsAt(earlier, by))) : [];
  const series =
    bucket === undefined
      ? []
      : seriesRows.parse(await read.rows(seriesOf(source, bucket, SERIES_ROWS, by)));
  if (series.length > SERIES_ROWS) {
    throw invalid(
      'bucket',
      `more than ${SERIES_ROWS} points: ask for wider buckets or fewer groups`,
    );
  }

  const names = new Map(
    groups.map(({ id, name }) => [id, { id, name: name && shownName(name, id) }]),
  );
  return {
    ...instants(span),
    timeZone,
    bucket: bucket ?? null,
    groupBy: groupBy ?? null,
    totals,
    previous: previous && { ...instants(before), totals: previous },
    groups: groups.map((row) => {
      const then = groupsBefore.find(({ id }) => id === row.id);
      return {
        group: { id: row.id, name: row.name && shownName(row.name, row.id) },
        totals: measuresOf(row),
        previous: then === undefined ? null : measuresOf(then),
      };
    }),
    groupCount: Number(groups[0]?.groups ?? 0),
    series: series.map((row) => ({
      start: row.start?.toISOString() ?? '',
      group: by === undefined ? null : (names.get(row.id) ?? { id: row.id, name: null }),
      measures: measuresOf(row),
    })),
  };
}

/** The same question of another span. */
function withSpan({ records, ...source }: Source, { segments, fromMs, toMs }: Span): Source {
  return { ...source, segments, records: records && { ...records, fromMs, toMs } };
}

function instants({ fromMs, toMs }: Span): { from: string; to: string } {
  return { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() };
}

function readerOf(db: EntityManager) {
  const rows = ({ text, values }: Statement): Promise<unknown[]> => db.query(text, values);
  return {
    rows,
    one: async (statement: Statement): Promise<rest.UsageMeasures> =>
      measuresOf(sumsRow.parse((await rows(statement))[0])),
  };
}
