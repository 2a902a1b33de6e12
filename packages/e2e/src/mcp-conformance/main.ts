import { parseArgs } from 'node:util';

import { differences, surprises } from './expected';
import { REVISIONS, runSuite, type Check, type Revision } from './suite';
import { startUpstream } from './upstream';

// `npm run mcp-conformance`: the official conformance suite of MCP against the simulator's server, and a
// failure when anything but the listed checks fails. With --through URL the same suite runs there too,
// for a gateway in front of the server that --direct names, and every difference is a failure.

const { values } = parseArgs({
  options: {
    direct: { type: 'string' },
    through: { type: 'string' },
    revision: { type: 'string', multiple: true },
    help: { type: 'boolean', default: false },
  },
  allowPositionals: false,
});

const HELP = `npm run mcp-conformance -- [options]
  --revision R    ${REVISIONS.join(' or ')}; may be given more than once; without it all
  --direct URL    a server that runs already, instead of a simulator of its own
  --through URL   runs the suite there too, and names every check that differs
`;

function revisions(): readonly Revision[] {
  const wanted = values.revision;
  if (wanted === undefined) return REVISIONS;
  const known = REVISIONS.filter((revision) => wanted.includes(revision));
  if (known.length !== wanted.length) throw new Error(`a revision is one of ${REVISIONS.join()}`);
  return known;
}

function totals(name: string, revision: Revision, checks: readonly Check[]): string {
  const passed = checks.filter((check) => check.passed).length;
  const failed = checks.length - passed;
  return `${revision} ${name}: ${String(passed)} passed, ${String(failed)} failed\n`;
}

async function runRevision(url: string, revision: Revision): Promise<string[]> {
  const direct = await runSuite(url, revision);
  process.stdout.write(totals('direct', revision, direct));
  const lines = surprises(revision, direct);
  if (values.through === undefined) return lines;
  const through = await runSuite(values.through, revision);
  process.stdout.write(totals('through', revision, through));
  return [...lines, ...differences(direct, through)];
}

async function main(): Promise<number> {
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const upstream = values.direct === undefined ? await startUpstream() : undefined;
  const url = values.direct ?? upstream?.url ?? '';
  const lines: string[] = [];
  try {
    for (const revision of revisions()) lines.push(...(await runRevision(url, revision)));
  } finally {
    await upstream?.stop();
  }
  for (const line of lines) process.stdout.write(`${line}\n`);
  return lines.length === 0 ? 0 : 1;
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? '') : String(error)}\n`);
    process.exitCode = 1;
  },
);
