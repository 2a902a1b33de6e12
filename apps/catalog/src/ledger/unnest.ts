export type ColumnValue = string | number | bigint | boolean | null;

/** A column to insert: its name, its SQL type, and where its value comes from. */
export type InsertColumn<Row> = readonly [
  name: string,
  type: string,
  value: (row: Row) => ColumnValue,
];

type Statement = { name: string; text: string; values: string[] };

const ESCAPED = /["\\]/;
const EVERY_ESCAPED = /["\\]/g;

/**
 * Values as PostgreSQL reads an array. Written here, and not by the driver, which asks of every value
 * anew what it might be.
 */
export function arrayLiteral(values: readonly ColumnValue[]): string {
  return `{${values.map(element).join(',')}}`;
}

function element(value: ColumnValue): string {
  if (value === null) return 'NULL';
  if (typeof value !== 'string') return String(value);
  return `"${ESCAPED.test(value) ? value.replace(EVERY_ESCAPED, '\\$&') : value}"`;
}

/**
 * A prepared multi-row insert: one array per column, so that the statement is the same text for any
 * number of rows and is planned once per connection.
 */
export function insertStatement<Row>(
  name: string,
  table: string,
  columns: readonly InsertColumn<Row>[],
  suffix = '',
): (rows: readonly Row[]) => Statement {
  const names = columns.map(([column]) => column).join(', ');
  const arrays = columns.map(([, type], index) => `$${index + 1}::${type}[]`).join(', ');
  const text = `INSERT INTO ${table} (${names}) SELECT * FROM unnest(${arrays}) ${suffix}`;
  return (rows) => ({
    name,
    text,
    values: columns.map(([, , value]) => arrayLiteral(rows.map(value))),
  });
}
