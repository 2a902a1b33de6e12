import { parseArgs } from 'node:util';
import { startPostgres } from '@tollgate/stack';
import { load } from './load';
import { timeQueries } from './time-queries';

/**
 * `npm run bench:usage -- --records 10000000 --dir <folder>`: fills a PostgreSQL of its own (kept in
 * the folder, where one is named) and measures what the management API answers from it.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      records: { type: 'string', default: '2000000' },
      seed: { type: 'string', default: '1' },
      months: { type: 'string', default: '12' },
      dir: { type: 'string' },
      'skip-load': { type: 'boolean', default: false },
    },
  });
  const [records, seed, months] = [values.records, values.seed, values.months].map(Number);
  if (!records || !seed || !months)
    throw new RangeError('--records, --seed, --months: numbers above 0');
  const server = await startPostgres({
    volatile: true,
    ...(values.dir ? { dir: values.dir } : {}),
  });
  try {
    const url = server.url.replace(/\/postgres$/, '/bench');
    const say = (line: string): void => console.log(new Date().toISOString(), line);
    if (!values['skip-load']) {
      await server.createDatabase('bench');
      await load({ url, records, seed, nowMs: Date.now(), months }, say);
    }
    await timeQueries(url, say);
  } finally {
    await server.stop();
  }
}

void main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
