import { startPostgres } from '@tollgate/stack';

import { HELP, readArguments, type BenchArguments } from './arguments';
import { timeConsole } from './console';
import { edgeBesideExport } from './edge-beside-export';
import { load } from './load';
import { timeQueries } from './time-queries';
import { undoing } from './undoing';

/**
 * `npm run bench:usage -- --records 10000000 --dir <folder>`: fills its own PostgreSQL (kept in the
 * folder, if named) and measures the management API on it. Exit code 2 for invalid arguments.
 */
async function bench({
  records,
  seed,
  months,
  dir,
  skipLoad,
  only,
  edge,
  console: pages,
}: BenchArguments): Promise<void> {
  await undoing(async (undo) => {
    const server = await startPostgres({ volatile: true, ...(dir === undefined ? {} : { dir }) });
    undo.push(server.stop);
    const url = server.url.replace(/\/postgres$/, '/bench');
    const say = (line: string): void => console.log(new Date().toISOString(), line);
    if (!skipLoad) {
      await server.createDatabase('bench');
      await load({ url, records, seed, nowMs: Date.now(), months }, say);
    }
    if (pages) await timeConsole(url, say, undo);
    else if (edge) await edgeBesideExport(url, say, undo);
    else await timeQueries(url, say, only);
  });
}

async function main(): Promise<number> {
  let given: BenchArguments | null;
  try {
    given = readArguments(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${HELP}`);
    return 2;
  }
  if (given === null) process.stdout.write(HELP);
  else await bench(given);
  return 0;
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  },
);
