import { parseArgs } from 'node:util';

import { whole } from './command-line';

export const HELP = `Usage: npm run bench:usage -- [options]

Fills a PostgreSQL of its own with usage records and times what the management API answers.

  --records <n>  how many records to load, from 1 to 100000000 (2000000)
  --seed <n>     the same seed loads the same records, from 1 (1)
  --months <n>   over how many months of 30 days they are spread, from 1 to 120 (12)
  --dir <path>   folder of the database, kept afterwards (a temporary one, removed)
  --skip-load    ask a folder's database again that was loaded before; needs --dir
  --only <text>  ask only the questions whose name contains this text, and measure nothing else
  --edge         measure the edge's latency beside an export, on a whole gateway, and nothing else
  --console      measure every page of the console, in Chromium too, and nothing else
  --help         print this
`;

export interface BenchArguments {
  records: number;
  seed: number;
  months: number;
  dir: string | undefined;
  skipLoad: boolean;
  only: string | undefined;
  edge: boolean;
  console: boolean;
}

/**
 * Reads the command line. Null: help was requested. Throws an Error that names the wrong argument.
 */
export function readArguments(args: readonly string[]): BenchArguments | null {
  const { values } = parseArgs({
    args: [...args],
    options: {
      records: { type: 'string', default: '2000000' },
      seed: { type: 'string', default: '1' },
      months: { type: 'string', default: '12' },
      dir: { type: 'string' },
      'skip-load': { type: 'boolean', default: false },
      only: { type: 'string' },
      edge: { type: 'boolean', default: false },
      console: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return null;
  const skipLoad = values['skip-load'];
  if (values.dir === '') throw new RangeError('--dir: must not be empty');
  if (values.edge && values.console) throw new RangeError('--console: not together with --edge');
  if (skipLoad && values.dir === undefined) {
    throw new RangeError('--skip-load: needs --dir, the folder that was loaded before');
  }
  return {
    records: whole('--records', values.records, 1, 100_000_000),
    seed: whole('--seed', values.seed, 1, 2_147_483_647),
    months: whole('--months', values.months, 1, 120),
    dir: values.dir,
    skipLoad,
    only: values.only,
    edge: values.edge,
    console: values.console,
  };
}
