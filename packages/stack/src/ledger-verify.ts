import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { z } from 'zod';

import { workspaceRoot } from './services';
import { openState } from './state';

// `npm run ledger:verify`: the books against themselves, then the live counters against the books.
// Each service checks its own store; this combines the two results.

const booksSchema = z.object({
  ok: z.boolean(),
  windowsChecked: z.string(),
  windowBreaches: z.array(z.record(z.string(), z.unknown())),
  valueBreaches: z.array(z.record(z.string(), z.unknown())),
  rollupBreaches: z.array(z.string()),
  mcpBreaches: z.array(z.string()),
  quarantined: z.string(),
  estimateShortfallNanoUsd: z.string(),
  organisations: z.array(
    z.object({
      slug: z.string().nullable(),
      organisationId: z.string(),
      records: z.string(),
      abandoned: z.string(),
      adjustments: z.string(),
      costNanoUsd: z.string(),
    }),
  ),
});

const storeSchema = z.object({
  shardsOpen: z.number(),
  countersCompared: z.number(),
  countersCold: z.number(),
  heldHolds: z.number(),
  breaches: z.array(z.string()),
});

export interface Verification {
  readonly ok: boolean;
  readonly books: z.output<typeof booksSchema>;
  readonly store: z.output<typeof storeSchema>;
}

export interface VerifyInput {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly redisCluster?: boolean;
  /** How long to wait for entries that are written and not yet booked. */
  readonly patienceMs?: number;
}

async function output(
  entry: string,
  env: Record<string, string>,
  input: string,
): Promise<{ code: number; out: string; err: string }> {
  const child = spawn(process.execPath, [join(workspaceRoot(), entry)], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: 'pipe',
  });
  const ended = new Promise<number>((done, fail) => {
    child.once('error', fail);
    child.once('exit', (code) => done(code ?? 1));
  });
  // A process that ended before it read its input reports the reason on stderr.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const [code, out, err] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { code, out, err };
}

async function once(input: VerifyInput): Promise<Verification> {
  const catalog = await output(
    'apps/catalog/dist/verify.js',
    { DATABASE_URL: input.databaseUrl },
    '',
  );
  if (catalog.out === '') throw new Error(`the books cannot be read: ${catalog.err}`);
  const books = booksSchema.parse(
    z.object({ books: z.unknown() }).parse(JSON.parse(catalog.out)).books,
  );
  const policy = await output(
    'apps/policy/dist/verify.js',
    { REDIS_URL: input.redisUrl, REDIS_CLUSTER: String(input.redisCluster ?? false) },
    catalog.out,
  );
  if (policy.out === '') throw new Error(`the live store cannot be read: ${policy.err}`);
  const store = storeSchema.parse(JSON.parse(policy.out));
  return { ok: books.ok && store.breaches.length === 0, books, store };
}

/**
 * Repeats the verification while requests are still being booked; disagreements after `patienceMs`
 * are breaches. Throws when a store cannot be read.
 */
export async function verify(input: VerifyInput): Promise<Verification> {
  const deadline = performance.now() + (input.patienceMs ?? 20_000);
  for (;;) {
    const result = await once(input);
    if (result.ok || performance.now() > deadline) return result;
  }
}

const nanoToUsd = (nano: string): string => {
  const digits = nano.replace('-', '').padStart(10, '0');
  const sign = nano.startsWith('-') ? '-' : '';
  return `${sign}${digits.slice(0, -9)}.${digits.slice(-9)}`;
};

function report({ ok, books, store }: Verification): string {
  const lines = books.organisations.map(
    (row) =>
      `  ${(row.slug ?? row.organisationId).padEnd(24)} ${row.records.padStart(9)} records ` +
      `${row.abandoned.padStart(6)} abandoned ${row.adjustments.padStart(6)} adjustments ` +
      `$${nanoToUsd(row.costNanoUsd)}`,
  );
  lines.push('');
  lines.push(`  windows checked against records      ${books.windowsChecked}`);
  lines.push(`  counters compared with windows       ${String(store.countersCompared)}`);
  lines.push(`  counters not known (seeded on use)   ${String(store.countersCold)}`);
  lines.push(`  holds outstanding                    ${String(store.heldHolds)}`);
  lines.push(`  entries set aside                    ${books.quarantined}`);
  lines.push(
    `  cost beyond the estimates            $${nanoToUsd(books.estimateShortfallNanoUsd)}`,
  );
  for (const breach of books.windowBreaches) lines.push(`  BREACH ${JSON.stringify(breach)}`);
  for (const breach of books.valueBreaches) {
    lines.push(`  BREACH value of a limit ${JSON.stringify(breach)}`);
  }
  for (const id of books.rollupBreaches) lines.push(`  BREACH rollups of organisation ${id}`);
  for (const id of books.mcpBreaches) lines.push(`  BREACH MCP record of request ${id}`);
  for (const breach of store.breaches) lines.push(`  BREACH ${breach}`);
  lines.push('', ok ? 'The ledger agrees.' : 'The ledger does NOT agree.');
  return lines.join('\n');
}

const runningSchema = z.object({
  databaseUrl: z.string(),
  redisUrl: z.string(),
  redisCluster: z.boolean(),
});

async function main(): Promise<number> {
  const env = process.env;
  let input: VerifyInput;
  if (env['DATABASE_URL'] !== undefined && env['REDIS_URL'] !== undefined) {
    input = {
      databaseUrl: env['DATABASE_URL'],
      redisUrl: env['REDIS_URL'],
      redisCluster: env['REDIS_CLUSTER'] === 'true',
    };
  } else {
    const state = await openState(resolve(workspaceRoot(), env['STATE_DIR'] ?? '.local'));
    const running = runningSchema.safeParse(state.readJson('running.json'));
    if (!running.success) {
      process.stdout.write('Nothing runs here: set DATABASE_URL and REDIS_URL, or `npm start`.\n');
      return 2;
    }
    input = running.data;
  }
  const result = await verify(input);
  process.stdout.write(`${report(result)}\n`);
  return result.ok ? 0 : 1;
}

if (require.main === module) {
  main().then(
    (code) => {
      process.exitCode = code;
    },
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
      process.exitCode = 1;
    },
  );
}
