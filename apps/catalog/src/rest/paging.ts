import type { rest } from '@tollgate/contracts';
import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { z } from 'zod';

import { invalid } from './field-errors';
import { countOf } from './matching';

/**
 * Keyset paging: a cursor marks the position after the last row. Pages neither skip nor repeat rows
 * under concurrent changes, and deep pages cost the same as the first. A computed amount is the exception: it
 * changes while pages are read, and each page computes it again.
 */

export type SortKey<T> = {
  /** The column to sort by, in the query builder's syntax. */
  readonly column: string;
  /** The column's type when it is not text, so that a forged cursor is refused before the query. */
  readonly holds?: 'uuid' | 'instant' | 'amount';
} & (
  | {
      /** The value of a row, exactly as the column compares it. */
      readonly of: (row: T) => string;
    }
  | {
      /** The column is no part of the row: the query selects it under this name. */
      readonly selected: string;
    }
);

type IdKey<T> = Extract<SortKey<T>, { readonly of: unknown }>;

/** The id as sort key: ids are in order of creation. */
export function idKey<T extends { id: string }>(column: string): IdKey<T> {
  return { column, of: (row) => row.id, holds: 'uuid' };
}

export interface Paging<T> {
  readonly cursor?: string | undefined;
  readonly limit: number;
  /** `name` or `-name`. */
  readonly sort: string;
  /** Whether the rows of all pages are counted. */
  readonly total?: 'true' | undefined;
  readonly keys: Readonly<Record<string, SortKey<T>>>;
  /** The unique column that breaks ties. */
  readonly id: IdKey<T>;
}

export interface RowsOfPage<T> {
  readonly rows: T[];
  readonly nextCursor: string | null;
  /** Absent: nobody asked. */
  readonly matching?: rest.Matching;
}

const position = z.tuple([z.string(), z.string(), z.string()]);

export async function readPage<T extends ObjectLiteral>(
  query: SelectQueryBuilder<T>,
  paging: Paging<T>,
): Promise<RowsOfPage<T>> {
  const { limit, sort, id } = paging;
  const whole = paging.total === 'true' ? query.clone() : undefined;
  const descending = sort.startsWith('-');
  const key = paging.keys[descending ? sort.slice(1) : sort];
  if (key === undefined) throw new RangeError(`no sort key for ${sort}`);
  const direction = descending ? 'DESC' : 'ASC';
  const after = decodeCursor(paging.cursor, sort, key.holds);
  if (after !== undefined) {
    const comparison = descending ? '<' : '>';
    query.andWhere(`(${key.column}, ${id.column}) ${comparison} (:afterKey, :afterId)`, {
      afterKey: after.key,
      afterId: after.id,
    });
  }
  query.orderBy(key.column, direction);
  if (key.column !== id.column) query.addOrderBy(id.column, direction);
  const { entities, raw } = await query.limit(limit + 1).getRawAndEntities<RawRow>();
  const rows = entities.slice(0, limit);
  const last = rows.at(-1);
  const isLast = entities.length <= limit || last === undefined;
  const alone = isLast && after === undefined;
  const counted = alone ? { count: rows.length, more: false } : whole && (await countOf(whole));
  const matching = whole === undefined ? {} : { matching: counted };
  if (isLast) return { rows, nextCursor: null, ...matching };
  const value = 'of' in key ? key.of(last) : String(raw[limit - 1]?.[key.selected]);
  return { rows, nextCursor: encodeCursor(sort, value, id.of(last)), ...matching };
}

/** What a query selects beside its rows. */
type RawRow = Readonly<Record<string, unknown>>;

/** A page sorted by creation, which ids encode: newest first by default. */
export function readByAge<T extends ObjectLiteral>(
  query: SelectQueryBuilder<T>,
  asked: Pick<Paging<T>, 'cursor' | 'limit' | 'total'> & { readonly sort?: string | undefined },
  id: IdKey<T>,
  name = 'createdAt',
): Promise<RowsOfPage<T>> {
  const { cursor, limit, total, sort = `-${name}` } = asked;
  return readPage(query, { cursor, limit, sort, total, id, keys: { [name]: id } });
}

/** The cursor after a row; for lists that merge several queries. */
export function encodeCursor(sort: string, key: string, id: string): string {
  return Buffer.from(JSON.stringify([sort, key, id])).toString('base64url');
}

const forms = {
  uuid: z.uuid(),
  instant: z.iso.datetime(),
  amount: z.string().regex(/^-?\d{1,30}$/),
  text: z.string().max(1000),
};

/** The position in a cursor of this sort order; undefined on the first page. */
export function decodeCursor(
  cursor: string | undefined,
  sort: string,
  holds: keyof typeof forms = 'text',
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

/** `50%` → `%50\%%`: a LIKE pattern for the literal text anywhere. */
export function likePattern(text: string): string {
  return `%${text.replace(/[\\%_]/g, (special) => `\\${special}`)}%`;
}
