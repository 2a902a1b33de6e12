import { parseArgs } from 'node:util';
import { ApiError } from '@tollgate/contracts';

import { MOST_WAIT_SECONDS } from './api/wait';
import {
  apply,
  exportAll,
  FAILED,
  showDiff,
  showPlan,
  writeSchema,
  type Command,
  type Options,
  type Streams,
} from './commands';
import { UsageError, type Env } from './config';
import { FaultyDocuments } from './documents/faults';
import { FORMATS } from './documents/write';
import { importPrices } from './import-prices';
import { tellLine } from './plain-text';

/** The command line `tollgate`. */

const USAGE = `tollgate COMMAND [options]

  export            Write the installation as documents.
  plan -f PATH      Print what apply would do.
  diff -f PATH      Print the same as a unified diff.
  apply -f PATH     Make the installation as the documents say.
  schema            Print the JSON schema of documents.
  prices import     Take prices over from a price list (-f) or from the known models (--known).

  -f, --file PATH        A file, a folder, or - for standard input. May be repeated.
      --prune            Also delete what an Ownership document covers and no document describes.
      --keys-out PATH    Where secrets of new API keys and alert webhooks are written, once; - is
                         standard output.
      --organisation S   Of export: only this organisation, by its slug. May be repeated.
                         Of prices import: the organisation whose models are priced.
      --known            Of prices import: the list of known models that the installation has.
      --model NAME       With --known: only this model. May be repeated.
      --dry-run          Of prices import: print what would change.
      --format F         Of export: yaml (default) or json.
      --url URL          The management API. Default: TOLLGATE_URL.
      --wait SECONDS     Wait so long for an installation that is starting.
      --token-file PATH  A file with an access token. Default: TOLLGATE_TOKEN_FILE.

Sign in with TOLLGATE_TOKEN, or with TOLLGATE_EMAIL and TOLLGATE_PASSWORD (or TOLLGATE_PASSWORD_FILE).
Exit codes: 0 nothing to do or done, 1 an error, 2 changes (plan, diff, --dry-run).
`;

const COMMANDS: Readonly<Record<string, (command: Command) => Promise<number>>> = {
  export: exportAll,
  plan: showPlan,
  diff: showDiff,
  apply,
  schema: writeSchema,
  'prices import': importPrices,
};

export async function main(
  args: readonly string[],
  env: Env,
  streams: Streams = process,
): Promise<number> {
  try {
    const { name, options } = parse(args);
    if (name === 'help') {
      streams.stdout.write(USAGE);
      return 0;
    }
    const command = COMMANDS[name];
    if (command === undefined) throw new UsageError(`There is no command ${name}.\n\n${USAGE}`);
    const folder = process.cwd();
    return await command({ options, env, folder, streams, nowMs: Date.now });
  } catch (error) {
    tellLine(streams.stderr, wordsOf(error));
    return FAILED;
  }
}

function parse(args: readonly string[]): { name: string; options: Options } {
  const { values, positionals } = parsed(args);
  const [name, more] = commandOf(positionals);
  if (more.length > 0) throw new UsageError(`Unknown argument ${more.join(' ')}.`);
  if (values['dry-run'] === true && name !== 'prices import') {
    throw new UsageError('--dry-run belongs to prices import; plan says what apply would do.');
  }
  const format = FORMATS.find((one) => one === (values.format ?? 'yaml'));
  if (format === undefined) throw new UsageError(`--format is one of ${FORMATS.join(', ')}`);
  const options: Options = {
    url: values.url,
    tokenFile: values['token-file'],
    files: values.file ?? [],
    organisations: values.organisation ?? [],
    format,
    prune: values.prune ?? false,
    keysOut: values['keys-out'],
    known: values.known ?? false,
    models: values.model ?? [],
    dryRun: values['dry-run'] ?? false,
    waitMs: waitOf(values.wait),
  };
  return { name: values.help === true ? 'help' : name, options };
}

/** The command, which may have two words, and what follows it. */
function commandOf([first = 'help', ...more]: readonly string[]): [string, readonly string[]] {
  const [second, ...others] = more;
  const both = `${first} ${second ?? ''}`;
  return COMMANDS[both] === undefined ? [first, more] : [both, others];
}

function waitOf(seconds: string | undefined): number {
  if (seconds === undefined) return 0;
  if (!/^\d{1,4}$/.test(seconds) || Number(seconds) > MOST_WAIT_SECONDS) {
    throw new UsageError(`--wait is a number of seconds, at most ${String(MOST_WAIT_SECONDS)}`);
  }
  return Number(seconds) * 1_000;
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        file: { type: 'string', short: 'f', multiple: true },
        prune: { type: 'boolean' },
        known: { type: 'boolean' },
        model: { type: 'string', multiple: true },
        'dry-run': { type: 'boolean' },
        'keys-out': { type: 'string' },
        organisation: { type: 'string', multiple: true },
        format: { type: 'string' },
        url: { type: 'string' },
        'token-file': { type: 'string' },
        wait: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function wordsOf(error: unknown): string {
  if (error instanceof FaultyDocuments || error instanceof UsageError) return error.message;
  if (error instanceof ApiError) {
    const details = error.details.map(({ path, message }) => `${path}: ${message}`);
    return [
      `The installation refused (${String(error.status)}): ${error.message}`,
      ...details,
    ].join('\n');
  }
  return error instanceof Error ? error.message : String(error);
}
