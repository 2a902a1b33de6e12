import type { Pool } from 'pg';
import { z } from 'zod';

import { columnsOf, rulesOf, type Column, type Rule } from './schema';

/**
 * Inserts a row into every empty table, derived from the schema, so that new tables are covered
 * without extra code.
 */
export async function fillEmptyTables(pool: Pool): Promise<void> {
  const columns = Map.groupBy(await columnsOf(pool), ({ table }) => table);
  const rules = Map.groupBy(await rulesOf(pool), ({ table }) => table);
  for (const [table, own] of columns) {
    const { rowCount } = await pool.query(`SELECT FROM "${table}" LIMIT 1`);
    if (rowCount === 0) await fill(pool, table, own, rules.get(table) ?? []);
  }
}

async function fill(
  pool: Pool,
  table: string,
  columns: readonly Column[],
  rules: readonly Rule[],
): Promise<void> {
  const values = new Map<string, string>();
  for (const column of columns) {
    if (column.required && column.filled === null) values.set(column.name, plain(column, rules));
  }
  for (const rule of rules) {
    if (rule.kind !== 'reference') continue;
    for (const [name, value] of await referenced(pool, rule)) {
      if (values.has(name)) values.set(name, value);
    }
  }
  const names = [...values.keys()].map((name) => `"${name}"`).join(', ');
  const places = [...values.keys()].map((_, at) => `$${at + 1}`).join(', ');
  await pool.query(`INSERT INTO "${table}" (${names}) VALUES (${places})`, [...values.values()]);
}

let given = 0;

function plain({ name, type }: Column, rules: readonly Rule[]): string {
  given += 1;
  const check = rules.find(({ kind, columns }) => kind === 'check' && columns.join() === name);
  const word = /'([^']+)'::text/.exec(check?.definition ?? '')?.[1];
  if (word !== undefined) return word;
  if (type === 'uuid') return `019aa000-0000-7000-8000-${String(given).padStart(12, '0')}`;
  if (type === 'boolean') return 'false';
  if (type === 'jsonb' || type === 'json') return '{}';
  if (type.endsWith('[]')) return '{}';
  if (type === 'bytea') return `\\x${String(given).padStart(64, '0')}`;
  // Later columns get later instants.
  if (/^(timestamp|date)/.test(type)) return new Date(given * 86_400_000).toISOString();
  if (/^(bigint|integer|smallint|numeric|double|real)/.test(type)) return '1';
  return `text-${given}`;
}

const one = z.array(z.record(z.string(), z.string()));

/** The columns of a foreign key, with the values of an existing row. */
async function referenced(pool: Pool, { definition }: Rule): Promise<[string, string][]> {
  const [, from = '', table = '', to = ''] =
    /FOREIGN KEY \(([^)]+)\) REFERENCES (\w+)\(([^)]+)\)/.exec(definition) ?? [];
  const targets = to.split(', ');
  const list = targets.map((name) => `"${name}"::text`).join(', ');
  const { rows } = await pool.query(`SELECT ${list} FROM "${table}" ORDER BY 1 LIMIT 1`);
  const [row] = one.parse(rows);
  if (row === undefined) return [];
  return from.split(', ').map((name, at) => [name, row[targets[at] ?? ''] ?? '']);
}
