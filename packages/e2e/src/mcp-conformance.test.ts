import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { workspaceRoot } from '@tollgate/stack';

import { differences, EXPECTED, surprises } from './mcp-conformance/expected';
import { runSuite, type Check, type Revision } from './mcp-conformance/suite';
import { startUpstream, type Upstream } from './mcp-conformance/upstream';

// The short form of `npm run mcp-conformance`, and the simulator's MCP server as a program.

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream?.stop());

const SHORT: readonly (readonly [Revision, string])[] = [
  ['2025-11-25', 'tools-call-elicitation'],
  ['2025-11-25', 'server-sse-multiple-streams'],
  ['2026-07-28', 'server-stateless'],
  ['2026-07-28', 'input-required-result-multi-round'],
];

test.each(SHORT)('%s %s: every check passes', async (revision, scenario) => {
  const checks = await runSuite(upstream.url, revision, scenario);
  expect(checks.filter(({ passed }) => !passed)).toEqual([]);
});

const STDIO = join(workspaceRoot(), 'packages/simulator/dist/mcp/stdio.js');

test.each([
  ['legacy', '2025-11-25'],
  ['auto', '2026-07-28'],
] as const)('the program speaks %s over its pipes, and ends when told', async (mode, version) => {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [STDIO, 'piped'],
    stderr: 'pipe',
  });
  await client.connect(transport);
  expect(client.getNegotiatedProtocolVersion()).toBe(version);
  const result = await client.callTool({ name: 'sim_process', arguments: {} });
  expect(result.content).toMatchObject([
    { text: expect.stringContaining(`"pid":${String(transport.pid)}`) },
  ]);
  const exited = client.callTool({ name: 'sim_exit', arguments: { code: 3 } });
  await expect(exited).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
});

describe('the verdict', () => {
  const check = (id: string, passed: boolean): Check => ({
    revision: '2025-11-25',
    scenario: 's',
    id,
    passed,
    message: 'why',
  });

  test('a failure that is not listed and a number of scenarios are named', () => {
    expect(surprises('2025-11-25', [check('a', false), check('b', true)])).toEqual([
      'fails: 2025-11-25 s a: why',
      expect.stringContaining('1 scenarios ran instead of'),
    ]);
  });

  test('a listed failure that is gone is named', () => {
    const listed = EXPECTED.flatMap(({ ids }) => ids).length;
    const lines = surprises('2026-07-28', []).filter((line) => line.startsWith('does not fail'));
    expect(lines).toHaveLength(listed);
  });

  test('checks that differ between two URLs are named', () => {
    const direct = [check('a', true), check('b', true), check('b', true)];
    expect(differences(direct, direct)).toEqual([]);
    expect(differences(direct, [check('a', false), check('b', true)])).toEqual([
      '2025-11-25 s a passes only direct',
      '2025-11-25 s b passes only direct',
      '2025-11-25 s a fails only through the second URL',
    ]);
  });
});
