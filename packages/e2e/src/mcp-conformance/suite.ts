import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { spawnServer } from '@tollgate/stack';
import { z } from 'zod';

// Runs the official conformance suite of MCP against a URL, and reads what it found.

export const REVISIONS = ['2025-11-25', '2026-07-28'] as const;
export type Revision = (typeof REVISIONS)[number];

export interface Check {
  revision: Revision;
  scenario: string;
  /** The suite's id; several checks of a scenario may share one. */
  id: string;
  passed: boolean;
  message: string;
}

/** Some results are notes, and some checks were not made: neither is kept. */
const checksShape = z.array(
  z.object({ id: z.string(), status: z.string(), errorMessage: z.string().optional() }),
);
const VERDICTS = new Set(['SUCCESS', 'FAILURE']);
/** Result folders are named `server-SCENARIO-TIME`. */
const FOLDER = /^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/;
const PATIENCE_MS = 300_000;

/** All that a revision requires, or one scenario of it. */
export async function runSuite(
  url: string,
  revision: Revision,
  scenario?: string,
): Promise<Check[]> {
  const folder = await mkdtemp(join(tmpdir(), 'mcp-conformance-'));
  const what =
    scenario === undefined
      ? ['--requirements', revision]
      : ['--scenario', scenario, '--spec-version', revision];
  try {
    const output = await runProgram(['server', '--url', url, ...what, '--output-dir', folder]);
    const checks = await readResults(folder, revision);
    if (checks.length === 0) throw new Error(`the suite found nothing:\n${output}`);
    return checks;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Ends with a failure code when a check fails, which the results say better. */
async function runProgram(args: readonly string[]): Promise<string> {
  const manifest = require.resolve('@modelcontextprotocol/conformance/package.json');
  const program = join(dirname(manifest), 'dist', 'index.js');
  const suite = await spawnServer(process.execPath, [program, ...args]);
  const late = setTimeout(() => suite.signal('SIGKILL'), PATIENCE_MS);
  await suite.ended;
  clearTimeout(late);
  return suite.tail();
}

async function readResults(folder: string, revision: Revision): Promise<Check[]> {
  const checks: Check[] = [];
  for (const name of (await readdir(folder)).sort()) {
    const scenario = FOLDER.exec(name)?.[1];
    if (scenario === undefined) continue;
    const text = await readFile(join(folder, name, 'checks.json'), 'utf8');
    for (const { errorMessage = '', id, status } of checksShape.parse(JSON.parse(text))) {
      if (!VERDICTS.has(status)) continue;
      checks.push({ revision, scenario, id, passed: status === 'SUCCESS', message: errorMessage });
    }
  }
  return checks;
}
