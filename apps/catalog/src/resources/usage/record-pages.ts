import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';

import { withinReach } from '../../rest/access';
import type { Access } from '../../rest/call';
import { countOf } from '../../rest/matching';
import { encodeCursor, idKey, readPage, type RowsOfPage } from '../../rest/paging';
import { firstIdAt, lastIdBefore } from '../../rest/record-ids';

/** Pages of records that are partitioned by their id and sorted by the instant of their request. */

interface Recorded extends ObjectLiteral {
  readonly id: string;
  readonly teamId: string | null;
  readonly userId: string | null;
}

/** Where a page begins, and in which order it is read. */
export interface Place {
  readonly cursor?: string | undefined;
  readonly limit: number;
  /** `name` or `-name` of the instant. */
  readonly sort: string;
  readonly total?: 'true' | undefined;
}

/** The instant by which records are sorted. The query's alias is `record`. */
export interface RecordInstant<T> {
  readonly name: string;
  readonly of: (row: T) => Date;
}

/** Narrows to records in [from, to), and to the partitions that can have them. */
export function withinTime<T extends Recorded>(
  rows: SelectQueryBuilder<T>,
  { name }: RecordInstant<T>,
  { from, to }: { readonly from?: string | undefined; readonly to?: string | undefined },
): void {
  if (from !== undefined) {
    const fromMs = Date.parse(from);
    rows.andWhere(`record.${name} >= :from AND record.id >= :firstId`, {
      from: new Date(fromMs),
      firstId: firstIdAt(fromMs),
    });
  }
  if (to !== undefined) {
    const toMs = Date.parse(to);
    rows.andWhere(`record.${name} < :to AND record.id < :lastId`, {
      to: new Date(toMs),
      lastId: lastIdBefore(toMs),
    });
  }
}

/**
 * A page of records within the caller's reach. A manager's own records and those of each team are
 * read separately and merged, because each has an index sorted by time and their union has none.
 * `select` makes the query without reach and order.
 */
export async function pageWithinReach<T extends Recorded>(
  select: () => SelectQueryBuilder<T>,
  instant: RecordInstant<T>,
  access: Access,
  place: Place,
): Promise<RowsOfPage<T>> {
  const columns = { teamId: 'record.teamId', userId: 'record.userId' };
  const reached = (): SelectQueryBuilder<T> => withinReach(select(), access, columns);
  if (access.reach !== 'teams') return readRecords(reached(), instant, place);
  const own = 'record.userId = :reachUserId';
  const reachUserId = access.userId;
  // The rows of all of them are counted once.
  const part = { ...place, total: undefined };
  const pages = [await readRecords(select().andWhere(own, { reachUserId }), instant, part)];
  for (const reachTeamId of access.managedTeamIds) {
    const rows = select().andWhere(
      'record.teamId = :reachTeamId AND record.userId IS DISTINCT FROM :reachUserId',
      { reachTeamId, reachUserId },
    );
    pages.push(await readRecords(rows, instant, part));
  }
  const merged = merge(pages, instant, place);
  return place.total === 'true' ? { ...merged, matching: await countOf(reached()) } : merged;
}

function readRecords<T extends Recorded>(
  rows: SelectQueryBuilder<T>,
  { name, of }: RecordInstant<T>,
  place: Place,
): Promise<RowsOfPage<T>> {
  return readPage(rows, {
    ...place,
    id: idKey<T>('record.id'),
    keys: {
      [name]: {
        column: `record.${name}`,
        of: (row) => of(row).toISOString(),
        holds: 'instant',
      },
    },
  });
}

function merge<T extends Recorded>(
  pages: readonly RowsOfPage<T>[],
  { of }: RecordInstant<T>,
  { limit, sort }: Place,
): RowsOfPage<T> {
  const sign = sort.startsWith('-') ? -1 : 1;
  const all = pages
    .flatMap((page) => page.rows)
    .sort((a, b) => sign * (of(a).getTime() - of(b).getTime() || (a.id < b.id ? -1 : 1)));
  const rows = all.slice(0, limit);
  const last = rows.at(-1);
  const more = all.length > limit || pages.some(({ nextCursor }) => nextCursor !== null);
  if (!more || last === undefined) return { rows, nextCursor: null };
  const nextCursor = encodeCursor(sort, of(last).toISOString(), last.id);
  return { rows, nextCursor };
}
