// The same MCP server as a program that speaks over its standard input and output, for whatever starts
// such programs: `node dist/mcp/stdio.js [name [file]]`. The name may hold the directives `legacy` and
// `pages-N`. The file gets a line for each run of a tool that begins, which survives the process.
// It has three tools more: `sim_exit` ends the process, `sim_stderr` writes to its standard error, and
// `sim_process` tells what it was started with.

import { appendFileSync } from 'node:fs';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

import { countOf } from '../json';
import { createCallCounts, type CallCounts } from './calls';
import { readMcpDirectives } from './directives';
import { optional } from './schemas';
import { createMcpServer } from './server';
import { listenerOf } from './sessions';
import { text, type Tool } from './tools/tool';
import { createUpstream } from './upstream';

const MAX_STDERR_BYTES = 16 * 1024 * 1024;

const PROCESS_TOOLS: readonly Tool[] = [
  {
    name: 'sim_exit',
    description: 'Ends the process with this code, without an answer.',
    input: optional({ code: { type: 'integer', minimum: 0, maximum: 255 } }),
    run: ({ code }) => process.exit(countOf(code) ?? 0),
  },
  {
    name: 'sim_stderr',
    description: 'Writes so many bytes to standard error.',
    input: optional({ bytes: { type: 'integer', minimum: 0, maximum: MAX_STDERR_BYTES } }),
    run({ bytes }) {
      process.stderr.write('e'.repeat(Math.min(countOf(bytes) ?? 0, MAX_STDERR_BYTES)));
      return text('Written.');
    },
  },
  {
    name: 'sim_process',
    description:
      'Answers the id of the process, its folder and the names of its environment variables.',
    run: () => {
      const { env, pid } = process;
      return text(JSON.stringify({ pid, cwd: process.cwd(), variables: Object.keys(env).sort() }));
    },
  },
];

function main(): void {
  const [, , name = 'stdio', file] = process.argv;
  const counts = file === undefined ? createCallCounts() : countsIn(file);
  const upstream = createUpstream(name, readMcpDirectives(name, undefined), counts);
  serveStdio(({ era }) => {
    const subscriptions = new Set<string>();
    const server = createMcpServer(upstream, subscriptions, PROCESS_TOOLS);
    if (era === 'legacy') upstream.listen(listenerOf(server, subscriptions));
    return server;
  });
}

function countsIn(file: string): CallCounts {
  const counts = createCallCounts();
  return {
    ...counts,
    count: (server, method, name, stage) => {
      if (stage === 'started') appendFileSync(file, `${name}\n`);
      counts.count(server, method, name, stage);
    },
  };
}

main();
