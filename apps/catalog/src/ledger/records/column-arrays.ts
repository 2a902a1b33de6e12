export type ColumnValue = string | number | bigint | boolean | null;

/** A column to insert: its name, its SQL type, and where its value comes from. */
export type InsertColumn<Row> = readonly [
  name: string,
  type: string,
  value: (row: Row) => ColumnValue,
];

type Statement = { name: string; text: string; values: (string | null)[] };

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

/** Rows as a statement reads them. */
export type ColumnSource<Row> = {
  /** SQL: what stands in FROM. */
  readonly from: string;
  /** SQL: a column's value. */
  readonly value: (column: string) => string;
  /** How many parameters it takes. */
  readonly parameters: number;
  readonly values: (rows: readonly Row[]) => (string | null)[];
};

/**
 * One array for each column, so that a statement is the same text for any number of rows and is planned
 * once per connection. Of a column that says the same in all rows, as most do in a batch of the ledger,
 * the value is sent once beside an empty array, which `unnest` fills up with NULL. The first column is
 * an array always: it says how many rows there are. Parameters begin at `first`.
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

/** An instant in whole milliseconds, as `Date` writes it. Those of a batch share most of it. */
export function instantText(ms: number): string {
  const begins = Math.floor(ms / 1_000);
  if (begins !== second || secondText === '') {
    secondText = new Date(begins * 1_000).toISOString().slice(0, -4);
    second = begins;
  }
  return `${secondText}${String(ms - begins * 1_000).padStart(3, '0')}Z`;
}
