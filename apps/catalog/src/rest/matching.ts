import { rest } from '@tollgate/contracts';
import type { EntityManager, ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { z } from 'zod';

/**
 * Counts the rows of a list. It reads one row more than it tells of, and ends after a second: filters that no index
 * serves may read everything that an organisation has.
 */

const COUNT_MS = 1_000;
/** PostgreSQL's code of a statement that took too long. */
const TIMED_OUT = '57014';

const countRows = z.tuple([z.object({ count: z.coerce.number() })]);

/** The rows that the query has without order and pages, in the reach and filters that it has. */
export function countOf<T extends ObjectLiteral>(
  query: SelectQueryBuilder<T>,
): Promise<rest.Matching> {
  const rows = query
    .select('1')
    .orderBy()
    .limit(rest.COUNTED_ROWS + 1);
  return countRowsOf(query.connection.manager, ...rows.getQueryAndParameters());
}

/** The same of a statement whose rows are at most `COUNTED_ROWS` and one. */
export async function countRowsOf(
  db: EntityManager,
  sql: string,
  values: unknown[],
): Promise<rest.Matching> {
  try {
    return await db.transaction(async (tx) => {
      await tx.query(`SET LOCAL statement_timeout = ${COUNT_MS}`);
      const read: unknown = await tx.query(`SELECT count(*) FROM (${sql}) AS matching`, values);
      const [{ count }] = countRows.parse(read);
      return { count: Math.min(count, rest.COUNTED_ROWS), more: count > rest.COUNTED_ROWS };
    });
  } catch (error) {
    if (isTimeout(error)) return null;
    throw error;
  }
}

function isTimeout(error: unknown): boolean {
  const cause: unknown =
    error instanceof Error && 'driverError' in error ? error.driverError : error;
  return cause instanceof Error && 'code' in cause && cause.code === TIMED_OUT;
}
