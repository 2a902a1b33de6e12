import { parseArgs } from 'node:util';

import { runMain } from '../command-line';
import { differences, surprises } from './expected';
import { REVISIONS, runSuite, type Check, type Revision } from './suite';
import { startThrough } from './through';
import { startUpstream } from './upstream';

// `npm run mcp-conformance`: the official conformance suite of MCP against the simulator's server, direct
// and through a gateway of its own. It fails when anything but the listed checks fails direct, and when
// a check differs through the gateway.

const { values } = parseArgs({
  options: {
    direct: { type: 'string' },
    through: { type: 'string' },
    'only-direct': { type: 'boolean', default: false },
    revision: { type: 'string', multiple: true },
    help: { type: 'boolean', default: false },
  },
  allowPositionals: false,
});

const HELP = `npm run mcp-conformance -- [options]
  --revision R    ${REVISIONS.join(' or ')}; may be given more than once; without it all
  --only-direct   leaves the gateway out
  --direct URL    a server that runs already, instead of a simulator of its own
  --through URL   the same server through a gateway that runs already
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

interface Places {
  readonly direct: string;
  readonly through?: string | undefined;
  readonly stop: () => Promise<void>;
}

/** What the options name runs already; the rest is started. */
async function places(): Promise<Places> {
  const { direct, through } = values;
  const stop = (): Promise<void> => Promise.resolve();
  if (direct !== undefined) return { direct, through, stop };
  if (through !== undefined) throw new Error('--through needs the --direct URL of the same server');
  if (!values['only-direct']) return startThrough();
  const { url, stop: stopUpstream } = await startUpstream();
  return { direct: url, stop: stopUpstream };
}

async function runRevision(at: Places, revision: Revision): Promise<string[]> {
  const direct = await runSuite(at.direct, revision);
  process.stdout.write(totals('direct', revision, direct));
  const lines = surprises(revision, direct);
  if (at.through === undefined) return lines;
  const through = await runSuite(at.through, revision);
  process.stdout.write(totals('through', revision, through));
  return [...lines, ...differences(direct, through)];
}

async function main(): Promise<number> {
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const at = await places();
  const lines: string[] = [];
  try {
    for (const revision of revisions()) lines.push(...(await runRevision(at, revision)));
  } finally {
    await at.stop();
  }
  for (const line of lines) process.stdout.write(`${line}\n`);
  return lines.length === 0 ? 0 : 1;
}

runMain(main);
