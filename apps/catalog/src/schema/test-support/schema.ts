import type { Pool } from 'pg';
import { z } from 'zod';

/** PostgreSQL's own description of a schema and its rows. */

/** A pool, or one of its connections. */
export type Queryable = Pick<Pool, 'query'>;

const NOT_OURS = `('schema_migration')`;

/** Every table, column, constraint, index, function, trigger, sequence and partition, as text. */
export async function schemaOf(pool: Queryable): Promise<string[]> {
  const { rows } = await pool.query<{ line: string }>(`
    SELECT format('column %s.%s %s %s %s %s', c.relname, a.attname,
        format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attgenerated::text || a.attidentity::text,
        pg_get_expr(d.adbin, d.adrelid)) AS line
      FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
      LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
      WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
        AND a.attnum > 0 AND NOT a.attisdropped
    UNION ALL SELECT format('relation %s %s %s %s %s', relname, relkind, relpersistence, reloptions,
        pg_get_expr(relpartbound, oid))
      FROM pg_class WHERE relnamespace = 'public'::regnamespace
    UNION ALL SELECT format('constraint %s %s %s %s', conrelid::regclass, conname, convalidated,
        pg_get_constraintdef(oid))
      FROM pg_constraint WHERE connamespace = 'public'::regnamespace
    UNION ALL SELECT format('index %s %s', i.indisvalid, pg_get_indexdef(i.indexrelid))
      FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
      WHERE c.relnamespace = 'public'::regnamespace
    UNION ALL SELECT pg_get_functiondef(oid) FROM pg_proc
      WHERE pronamespace = 'public'::regnamespace
    UNION ALL SELECT format('trigger %s', pg_get_triggerdef(oid)) FROM pg_trigger
      WHERE NOT tgisinternal
    ORDER BY line`);
  return rows.map((row) => row.line);
}

export interface Column {
  readonly table: string;
  readonly name: string;
  /** As `bigint` or `character varying(20)`. */
  readonly type: string;
  readonly required: boolean;
  /** The default or identity; null: neither. */
  readonly filled: string | null;
}

/** Columns of every table except partitions. */
export async function columnsOf(pool: Queryable): Promise<Column[]> {
  const { rows } = await pool.query<Column>(`
    SELECT c.relname AS "table", a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type,
        a.attnotnull AS required,
        coalesce(pg_get_expr(d.adbin, d.adrelid), nullif(a.attidentity::text, '')) AS filled
      FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
      LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
      WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
        AND NOT c.relispartition AND c.relname NOT IN ${NOT_OURS}
        AND a.attnum > 0 AND NOT a.attisdropped
      ORDER BY c.relname, a.attnum`);
  return rows;
}

export interface Rule {
  readonly table: string;
  readonly name: string;
  readonly kind: 'check' | 'key' | 'unique' | 'reference' | 'trigger';
  readonly columns: readonly string[];
  readonly definition: string;
}

/** Everything that can refuse a row: constraints, unique indexes and triggers. */
export async function rulesOf(pool: Queryable): Promise<Rule[]> {
  const { rows } = await pool.query<Rule>(`
    SELECT c.relname AS "table", k.conname AS name,
        CASE k.contype WHEN 'c' THEN 'check' WHEN 'p' THEN 'key' WHEN 'u' THEN 'unique'
          ELSE 'reference' END AS kind,
        ARRAY(SELECT a.attname::text FROM pg_attribute a
               WHERE a.attrelid = c.oid AND a.attnum = ANY(k.conkey)) AS columns,
        pg_get_constraintdef(k.oid) AS definition
      FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
      WHERE c.relnamespace = 'public'::regnamespace AND NOT c.relispartition
        AND k.contype IN ('c', 'p', 'u', 'f') AND c.relname NOT IN ${NOT_OURS}
    UNION ALL SELECT c.relname, x.relname, 'unique',
        ARRAY(SELECT a.attname::text FROM pg_attribute a
               WHERE a.attrelid = c.oid AND a.attnum = ANY(i.indkey)),
        pg_get_indexdef(i.indexrelid)
      FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_class x ON x.oid = i.indexrelid
      WHERE c.relnamespace = 'public'::regnamespace AND NOT c.relispartition AND i.indisunique
        AND c.relname NOT IN ${NOT_OURS}
        AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = i.indexrelid)
    UNION ALL SELECT c.relname, t.tgname, 'trigger', ARRAY[]::text[], pg_get_triggerdef(t.oid)
      FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
      WHERE NOT t.tgisinternal AND NOT c.relispartition
    ORDER BY 1, 2`);
  return rows;
}

/** Rows by table, each with its columns as text. */
export type Rows = ReadonlyMap<string, readonly Readonly<Record<string, string | null>>[]>;

const texts = z.array(z.record(z.string(), z.string().nullable()));

export async function rowsOf(pool: Queryable): Promise<Rows> {
  const columns = Map.groupBy(await columnsOf(pool), ({ table }) => table);
  const found = new Map<string, Record<string, string | null>[]>();
  for (const [table, own] of columns) {
    const list = own.map(({ name }) => `"${name}"::text`).join(', ');
    const { rows } = await pool.query(`SELECT ${list} FROM "${table}"`);
    found.set(table, texts.parse(rows));
  }
  return found;
}
