import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getMetadataArgsStorage } from 'typeorm';

import { entities } from '.';

const SOURCES = join(__dirname, '..');

/** The text of every source file, without tests, entities and migrations. */
const sources = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !/test|\.entity\.|migrations\//.test(file))
  .map((file) => readFileSync(join(SOURCES, file), 'utf8'));

/** Literally (`INSERT INTO t`, `tx.insert(T, …)`), or by its name beside a generated INSERT. */
function isWritten(table: string, entity: string): boolean {
  const direct = new RegExp(`INSERT INTO ${table}\\b|\\.(?:insert|upsert|save)\\(\\s*${entity}\\b`);
  const named = new RegExp(`'${table}'`);
  return sources.some(
    (text) =>
      direct.test(text) || (/INSERT INTO \$\{|insertStatement[<(]/.test(text) && named.test(text)),
  );
}

test('every table has a writer', () => {
  const tables = getMetadataArgsStorage().tables.flatMap(({ target, name }) => {
    const entity = entities.find((one) => one === target);
    return entity === undefined || name === undefined ? [] : [{ table: name, entity: entity.name }];
  });
  expect(tables).toHaveLength(entities.length);
  const unwritten = tables.filter(({ table, entity }) => !isWritten(table, entity));
  // The shards' rows are inserted by their migration.
  expect(unwritten.map(({ table }) => table)).toEqual(['ledger_shard']);
});
