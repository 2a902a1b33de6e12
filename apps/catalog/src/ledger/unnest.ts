/** A column to insert: its name, its SQL type, and where its value comes from. */
export type InsertColumn<Row> = readonly [
  name: string,
  type: string,
  value: (row: Row) => string | number | bigint | boolean | null,
];

type Statement = { name: string; text: string; values: unknown[] };

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
    values: columns.map(([, , value]) => rows.map((row) => value(row))),
  });
}
