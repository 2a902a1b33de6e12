import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { z } from 'zod';
import { invalid } from './refusals';

/**
 * Keyset paging: a cursor is the place after the last row, so pages neither skip nor repeat when
 * rows come and go, and a deep page costs what the first one does.
 */

export type SortKey<T> = {
  /** The column to sort by, as the query builder knows it. */
  readonly column: string;
  /** The same value of a row, exactly as the column compares. */
  readonly of: (row: T) => string;
  /** What the column holds, when it is not text: a forged cursor must not reach the database. */
  readonly holds?: 'uuid' | 'instant';
};

/** The id of a row, as a key: ids are made in the order of time. */
export function idKey<T extends { id: string }>(column: string): SortKey<T> {
  return { column, of: (row) => row.id, holds: 'uuid' };
}

export type Paging<T> = {
  readonly cursor?: string | undefined;
  readonly limit: number;
  /** `name` or `-name`. */
  readonly sort: string;
  readonly keys: Readonly<Record<string, SortKey<T>>>;
  /** The unique column that breaks ties. */
  readonly id: SortKey<T>;
};

const position = z.tuple([z.string(), z.string(), z.string()]);

export async function readPage<T extends ObjectLiteral>(
  query: SelectQueryBuilder<T>,
  paging: Paging<T>,
): Promise<{ rows: T[]; nextCursor: string | null }> {
  const { limit, sort, id } = paging;
  const descending = sort.startsWith('-');
  const key = paging.keys[descending ? sort.slice(1) : sort];
  if (key === undefined) throw new RangeError(`no sort key for ${sort}`);
  const direction = descending ? 'DESC' : 'ASC';
  const after = decode(paging.cursor, sort, key.holds);
  if (after !== undefined) {
    const comparison = descending ? '<' : '>';
    query.andWhere(`(${key.column}, ${id.column}) ${comparison} (:afterKey, :afterId)`, {
      afterKey: after.key,
      afterId: after.id,
    });
  }
  query.orderBy(key.column, direction);
  if (key.column !== id.column) query.addOrderBy(id.column, direction);
  const found = await query.limit(limit + 1).getMany();
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  const more = found.length > limit && last !== undefined;
  return { rows, nextCursor: more ? encodeCursor(sort, key.of(last), id.of(last)) : null };
}

/** A page of a list by the age of its rows, which their ids tell: latest first unless asked otherwise. */
export function readByAge<T extends ObjectLiteral>(
  query: SelectQueryBuilder<T>,
  asked: Pick<Paging<T>, 'cursor' | 'limit'> & { readonly sort?: string | undefined },
  id: SortKey<T>,
  name = 'createdAt',
): Promise<{ rows: T[]; nextCursor: string | null }> {
  const { cursor, limit, sort = `-${name}` } = asked;
  return readPage(query, { cursor, limit, sort, id, keys: { [name]: id } });
}

/** The cursor of the place after a row; for lists that are put together from more than one. */
export function encodeCursor(sort: string, key: string, id: string): string {
  return Buffer.from(JSON.stringify([sort, key, id])).toString('base64url');
}

const forms = { uuid: z.uuid(), instant: z.iso.datetime(), text: z.string().max(1000) };

function decode(
  cursor: string | undefined,
  sort: string,
  holds: 'uuid' | 'instant' | 'text' = 'text',
): { key: string; id: string } | undefined {
  if (cursor === undefined) return undefined;
  const parsed = position.safeParse(json(Buffer.from(cursor, 'base64url').toString('utf8')));
  if (!parsed.success) throw invalid('cursor', 'not a cursor of this list');
  const [cursorSort, key, id] = parsed.data;
  if (cursorSort !== sort) throw invalid('cursor', 'made for another sort order');
  const sound =
    forms.uuid.safeParse(id).success && forms[holds].safeParse(key).success && !key.includes('\0');
  if (!sound) throw invalid('cursor', 'not a cursor of this list');
  return { key, id };
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `50%` → `%50\%%`: the text itself, anywhere. */
export function anywhere(text: string): string {
  return `%${text.replace(/[\\%_]/g, (special) => `\\${special}`)}%`;
}
