import fc from 'fast-check';

import type { Database } from '../../schema';
import { startTestDatabases, type TestDatabases } from '../../test-support';
import { arrayLiteral, columnSource, type InsertColumn } from './column-arrays';

let databases: TestDatabases;
let database: Database;

beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.fresh();
});
afterAll(() => databases.stop());

async function readBack(type: string, literal: string): Promise<unknown[]> {
  const { rows } = await database.pool.query<{ value: unknown }>(
    `SELECT value FROM unnest($1::${type}[]) WITH ORDINALITY AS u(value, place) ORDER BY place`,
    [literal],
  );
  return rows.map(({ value }) => value);
}

// PostgreSQL stores neither NUL nor unpaired surrogates; parsing entries removes both.
const text = fc
  .oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: fc.constantFrom('"', '\\', ',', '{', '}', ' ', '\n', 'NULL', 'é') }),
  )
  .map((value) => value.replaceAll('\0', '').toWellFormed());

it('PostgreSQL reads every text as it was', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.option(text), { maxLength: 20 }), async (values) => {
      expect(await readBack('text', arrayLiteral(values))).toEqual(values);
    }),
    { numRuns: 300 },
  );
});

it('PostgreSQL reads amounts to the last digit, and what is not known as NULL', async () => {
  const amounts = [0n, -1n, 2n ** 63n - 1n, -(2n ** 63n), null];
  expect(await readBack('bigint', arrayLiteral(amounts))).toEqual(amounts);
});

it('PostgreSQL reads booleans, JSON, bytes and instants', async () => {
  expect(await readBack('boolean', arrayLiteral([true, false, null]))).toEqual([true, false, null]);
  const units = { 'a "b"\\': ['c,d'] };
  expect(await readBack('jsonb', arrayLiteral([JSON.stringify(units)]))).toEqual([units]);
  expect(await readBack('bytea', arrayLiteral(['\\x00ff5c22']))).toEqual([
    Buffer.from('00ff5c22', 'hex'),
  ]);
  const at = new Date(1_790_000_000_123);
  expect(await readBack('timestamptz', arrayLiteral([at.toISOString()]))).toEqual([at]);
});

interface Row {
  place: number;
  name: string | null;
  amount: bigint;
  on: boolean | null;
}

const COLUMNS: readonly InsertColumn<Row>[] = [
  ['place', 'integer', (row) => row.place],
  ['name', 'text', (row) => row.name],
  ['amount', 'bigint', (row) => row.amount],
  ['on_', 'boolean', (row) => row.on],
];

it('a column that says the same in all rows is read as if it had been sent for each', async () => {
  const few = fc.record({
    place: fc.integer({ min: 0, max: 2 }),
    name: fc.constantFrom(null, '', 'NULL', 'a "b"\\', '{}'),
    amount: fc.bigInt({ min: 0n, max: 1n }),
    on: fc.constantFrom(null, true, false),
  });
  const source = columnSource('w', COLUMNS, 2);
  const text = `SELECT ${COLUMNS.map(([name]) => `${source.value(name)} AS ${name}`).join(', ')}
    FROM ${source.from} WHERE $1`;
  await fc.assert(
    fc.asyncProperty(fc.array(few, { maxLength: 4 }), async (rows) => {
      const values = [true, ...source.values(rows)];
      expect(values).toHaveLength(1 + source.parameters);
      const read = await database.pool.query({ name: 'columns', text, values });
      expect(read.rows).toEqual(rows.map(({ on, ...row }) => ({ ...row, on_: on })));
    }),
    { numRuns: 300 },
  );
});

it('what is the same in all rows is sent once', () => {
  const source = columnSource('w', COLUMNS);
  const row = { name: 'same', amount: 7n, on: null };
  expect(
    source.values([
      { place: 1, ...row },
      { place: 1, ...row },
    ]),
  ).toEqual(['{1,1}', '{}', 'same', '{}', '7', '{}', null]);
});
