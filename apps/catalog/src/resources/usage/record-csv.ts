import { csvLine, type CsvCell } from '../../rest/csv';
import type { RowsOfPage } from '../../rest/paging';

/** Records as CSV, with keyset paging; each page is read when the previous one was sent. */

/** Small enough that other requests are not delayed while a page is written. */
const BATCH = 250;

export type CsvColumn<T> = readonly [name: string, cell: (row: T) => CsvCell];

export async function* csvPages<T>(
  columns: readonly CsvColumn<T>[],
  read: (place: { cursor: string | undefined; limit: number }) => Promise<RowsOfPage<T>>,
): AsyncGenerator<string> {
  let cursor: string | undefined;
  // With the first page, so that a failure to read it is answered as an error.
  let head = csvLine(columns.map(([name]) => name));
  do {
    const page = await read({ cursor, limit: BATCH });
    yield head + page.rows.map((row) => csvLine(columns.map(([, cell]) => cell(row)))).join('');
    head = '';
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}
