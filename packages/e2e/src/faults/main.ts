import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';

import { runMain } from '../command-line';
import { realRedis } from '../gateway/gateway';
import { FLOAT_PROOFS } from './float-proofs';
import { FLOAT_SCENARIOS, SHORT_WITH_FLOATS } from './float-scenarios';
import { linesOf, type Finding, type Proof } from './proof';
import { PROOFS } from './proofs';
import { runScenario, type Row, type Scenario } from './scenario';
import { SCENARIOS, SHORT } from './scenarios';
import { startWorld } from './world';

// `npm run faults`: every scenario on one gateway of separate processes, one row each. It fails if
// a budget is overspent, a request is lost or booked twice, or a hold never ends.

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '1' },
    only: { type: 'string', multiple: true },
    short: { type: 'boolean', default: false },
    floats: { type: 'boolean', default: false },
    previous: { type: 'string' },
    json: { type: 'string' },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
  allowPositionals: false,
});

const HELP = `npm run faults -- [options]
  --short        the scenarios of continuous integration
  --only TEXT    scenarios whose name holds TEXT; may be given more than once
  --seed N       of all random choices (1)
  --floats       all of them with floats, not only those about floats
  --previous DIR the built folder of the release before, for the change of releases
  --rounds N     how often each scenario runs, the seed rising by one (1)
  --json FILE    write the rows there too
  --list         name the scenarios
`;

const COLUMNS: readonly (readonly [string, (row: Row) => string])[] = [
  ['asked', (row) => String(row.asked)],
  ['200', (row) => String(row.served)],
  ['503', (row) => String(row.away)],
  ['402', (row) => String(row.refused)],
  ['cut', (row) => String(row.broken)],
  ['wrongful', (row) => String(row.wrongful)],
  ['early', (row) => String(row.early)],
  ['max/cap', (row) => `${(row.mostOfCap / 10).toFixed(1)}%`],
  ['abandoned', (row) => String(row.abandoned)],
  ['estimated', (row) => String(row.estimated)],
  ['shortfall', (row) => usd(row.shortfallNanoUsd)],
  [
    'lost',
    ({ lost, mayLose }) => (mayLose === undefined ? '' : `≤${String(mayLose)}: `) + String(lost),
  ],
  ['twice', (row) => String(row.duplicates)],
  ['books−bill', (row) => usd(row.differenceNanoUsd)],
  ['held after', (row) => usd(BigInt(Math.round(row.heldAfter)))],
  ['floats', (row) => String(row.floats)],
  ['s', (row) => row.seconds.toFixed(0)],
];
const WIDTH = 40;

function usd(nanoUsd: bigint): string {
  return nanoUsd === 0n ? '0' : `$${(Number(nanoUsd) / 1e9).toFixed(9)}`;
}

function line(name: string, cells: readonly string[]): string {
  const padded = cells.map((cell, n) => cell.padStart((COLUMNS[n]?.[0].length ?? 0) + 2));
  return `${name.padEnd(WIDTH)}${padded.join('')}\n`;
}

/** What runs in one world, with floats or without. */
interface Suite {
  readonly floats: boolean;
  readonly scenarios: readonly Scenario[];
  readonly proofs: readonly Proof[];
}

function suitesWanted(): readonly Suite[] {
  const named = ({ name }: { name: string }): boolean =>
    values.only === undefined || values.only.some((text) => name.includes(text));
  const scenariosOf = (all: readonly Scenario[], short: readonly string[]): Scenario[] =>
    all.filter(
      (one) =>
        named(one) &&
        (!values.short || short.includes(one.name)) &&
        (one.needsPrevious !== true || values.previous !== undefined),
    );
  const usual = { scenarios: scenariosOf(SCENARIOS, SHORT), proofs: PROOFS.filter(named) };
  const ofFloats = {
    scenarios: scenariosOf(FLOAT_SCENARIOS, SHORT_WITH_FLOATS),
    proofs: values.short ? [] : FLOAT_PROOFS.filter(named),
  };
  const suites = values.floats
    ? [
        {
          floats: true,
          scenarios: [...usual.scenarios, ...ofFloats.scenarios],
          proofs: [...usual.proofs, ...ofFloats.proofs],
        },
      ]
    : [
        { floats: false, ...usual },
        { floats: true, ...ofFloats },
      ];
  return suites.filter(({ scenarios, proofs }) => scenarios.length + proofs.length > 0);
}

async function main(): Promise<number> {
  if (values.help || values.list) {
    const all = [...SCENARIOS, ...PROOFS, ...FLOAT_SCENARIOS, ...FLOAT_PROOFS];
    const names = all.map(({ name }) => `${name}\n`).join('');
    process.stdout.write(values.list ? names : HELP);
    return 0;
  }
  const suites = suitesWanted();
  if (suites.length === 0) throw new Error('no scenario of that name: see --list');
  const rounds = atLeastOne('rounds', values.rounds);
  const seed = atLeastOne('seed', values.seed);
  if (!realRedis()) throw new Error('no redis-server on the PATH: its stand-in keeps no file');
  const rows: Row[] = [];
  const findings: Finding[] = [];
  for (const suite of suites) await run(suite, rounds, seed, rows, findings);
  if (values.json !== undefined) await writeFile(values.json, toJson([...rows, ...findings]));
  const all = [...rows, ...findings];
  const breaches = all.reduce((sum, one) => sum + one.breaches.length, 0);
  process.stdout.write(
    breaches === 0
      ? `\n${all.length} scenarios, no breach.\n`
      : `\n${breaches} breaches in ${all.length} scenarios\n`,
  );
  return breaches === 0 ? 0 : 1;
}

async function run(
  { floats, scenarios, proofs }: Suite,
  rounds: number,
  seed: number,
  rows: Row[],
  findings: Finding[],
): Promise<void> {
  const world = await startWorld({ floats, previous: values.previous });
  const told = (breaches: readonly string[]): void => {
    if (breaches.length > 0) world.keepLogs();
  };
  try {
    const titles = COLUMNS.map(([title]) => title);
    if (scenarios.length > 0) process.stdout.write(line(floats ? 'FLOATS=on' : '', titles));
    for (let round = 0; round < rounds; round += 1) {
      for (const scenario of scenarios) {
        const row = await runScenario(world, scenario, seed + round);
        rows.push(row);
        const cells = COLUMNS.map(([, cell]) => cell(row));
        process.stdout.write(line(row.name, cells));
        for (const breach of row.breaches) {
          process.stdout.write(`  BREACH ${breach}; logs are in ${world.logs}\n`);
        }
        told(row.breaches);
      }
    }
    for (const proof of proofs) {
      process.stdout.write(`\n${proof.name}\n`);
      for await (const finding of proof.run(world, { short: values.short, seed })) {
        findings.push(finding);
        process.stdout.write(linesOf(finding));
        told(finding.breaches);
      }
    }
  } finally {
    await world.stop();
  }
}

/** A word instead of a number would run no round, and so find no breach. */
function atLeastOne(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) throw new Error(`--${name} is a number from 1 on`);
  return value;
}

function toJson(rows: readonly (Row | Finding)[]): string {
  const plain = (_key: string, value: unknown): unknown =>
    typeof value === 'bigint' ? value.toString() : value;
  return `${JSON.stringify(rows, plain, 2)}\n`;
}

runMain(main);
