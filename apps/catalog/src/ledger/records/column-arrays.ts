export type ColumnValue = string | number | bigint | boolean | null;

/** A column to insert: its name, its SQL type, and where its value comes from. */
export type InsertColumn<Row> = readonly [
  name: string,
  type: string,
  value: (row: Row) => ColumnValue,
];

interface Statement {
  name: string;
  text: string;
  values: (string | null)[];
}

const ESCAPED = /["\\]/;
const EVERY_ESCAPED = /["\\]/g;

/**
 * Formats an array literal of PostgreSQL. The driver would inspect the type of every value again,
 * which is slower.
 */
export function arrayLiteral(values: readonly ColumnValue[]): string {
  return `{${values.map(element).join(',')}}`;
}

function element(value: ColumnValue): string {
  if (value === null) return 'NULL';
  if (typeof value !== 'string') return String(value);
  return `"${ESCAPED.test(value) ? value.replace(EVERY_ESCAPED, '\\$&') : value}"`;
}

/** Rows as the FROM item of a statement. */
export interface ColumnSource<Row> {
  /** SQL: the FROM item. */
  readonly from: string;
  /** SQL: the value of a column. */
  readonly value: (column: string) => string;
  /** How many parameters the FROM item uses. */
  readonly parameters: number;
  readonly values: (rows: readonly Row[]) => (string | null)[];
}

/**
 * Sends one array for each column, so that the statement's text does not depend on the number of
 * rows and is planned once for each connection.
 *
 * A column with the same value in all rows, as most have in a ledger batch, is sent as one value
 * and an empty array, which `unnest` pads with NULL. The first column is always an array: it
 * determines the number of rows. Parameters are numbered from `first`.
 */
export function columnSource<Row>(
  alias: string,
  columns: readonly InsertColumn<Row>[],
  first = 1,
): ColumnSource<Row> {
  const arrays: string[] = [];
  const sql = new Map<string, string>();
  let next = first;
  for (const [name, type] of columns) {
    arrays.push(`$${next++}::${type}[]`);
    sql.set(
      name,
      next === first + 1 ? `${alias}.${name}` : `coalesce(${alias}.${name}, $${next++}::${type})`,
    );
  }
  return {
    from: `unnest(${arrays.join(', ')}) AS ${alias}(${[...sql.keys()].join(', ')})`,
    value: (column) => sql.get(column) ?? '',
    parameters: next - first,
    values: (rows) =>
      columns.flatMap(([, , value], at) => {
        const list = rows.map(value);
        return at === 0 ? [arrayLiteral(list)] : arrayAndSame(list);
      }),
  };
}

function arrayAndSame(list: readonly ColumnValue[]): (string | null)[] {
  const [same = null] = list;
  if (list.some((value) => value !== same)) return [arrayLiteral(list), null];
  return ['{}', same === null ? null : String(same)];
}

/** A prepared multi-row insert. */
export function insertStatement<Row>(
  name: string,
  table: string,
  columns: readonly InsertColumn<Row>[],
  suffix = '',
): (rows: readonly Row[]) => Statement {
  const names = columns.map(([column]) => column);
  const source = columnSource('w', columns);
  const text = `INSERT INTO ${table} (${names.join(', ')})
    SELECT ${names.map((column) => source.value(column)).join(', ')} FROM ${source.from} ${suffix}`;
  return (rows) => ({ name, text, values: source.values(rows) });
}

let second = 0;
let secondText = '';

/**
 * An instant in whole milliseconds, formatted as `Date` does. Caches the second, which instants of
 * a batch mostly share.
 */
export function instantText(ms: number): string {
  const begins = Math.floor(ms / 1_000);
  if (begins !== second || secondText === '') {
    secondText = new Date(begins * 1_000).toISOString().slice(0, -4);
    second = begins;
  }
  return `${secondText}${String(ms - begins * 1_000).padStart(3, '0')}Z`;
}
