import axios from 'axios';
import { z } from 'zod';

import { writeStdioCommands } from './runner-commands';
import type { Demo, SeedMcpServer } from './seed';
import type { Layout, ServiceName } from './services';
import type { State } from './state';

// The demo's MCP servers: the simulator's over HTTP, and the same one as a process of the runner.

const STDIO_COMMAND = 'demo';

/** Writes the file of commands that the runner may start; returns its path. */
export function writeDemoCommands(state: State): string {
  return writeStdioCommands(state, { [STDIO_COMMAND]: { args: ['stdio'], idleSeconds: 600 } });
}

/** The servers of the services that run; prices in USD, invented for the demo. */
export function demoMcpServers(
  layout: Layout,
  without: ReadonlySet<ServiceName>,
): readonly SeedMcpServer[] {
  const prices = { callPriceUsd: '0.001', toolPricesUsd: { sim_slow: '0.01' } };
  const overHttp: SeedMcpServer = {
    identifier: 'demo-tools',
    name: 'Demo tools',
    transport: 'STREAMABLE_HTTP',
    url: `http://127.0.0.1:${String(layout.ports.simulator)}/mcp/demo`,
    ...prices,
  };
  const asProcess: SeedMcpServer = {
    identifier: 'demo-stdio',
    name: 'Demo tools as a process',
    transport: 'STDIO',
    command: STDIO_COMMAND,
    ...prices,
  };
  return [
    ...(without.has('simulator') ? [] : [overHttp]),
    ...(without.has('runner') ? [] : [asProcess]),
  ];
}

const toolAnswer = z.object({
  result: z.object({ content: z.array(z.object({ text: z.string() })).min(1) }),
});

/** One tool call through the edge, in the stateless revision of the protocol. Returns its text. */
export async function callDemoTool(demo: Demo, identifier: string): Promise<string> {
  const revision = '2026-07-28';
  const params = {
    name: 'sim_echo',
    arguments: { greeting: 'Hello' },
    _meta: {
      'io.modelcontextprotocol/protocolVersion': revision,
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: 'tollgate-demo', version: '1' },
    },
  };
  const answer = await axios.post(
    `${demo.edgeUrl}/v1/mcp/${identifier}`,
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
    {
      headers: {
        authorization: `Bearer ${demo.apiKey}`,
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': revision,
        'mcp-method': 'tools/call',
        'mcp-name': params.name,
      },
      // JSON or a stream of events: read as text, and told apart below.
      responseType: 'text',
      transformResponse: (text: unknown) => text,
      timeout: 30_000,
      validateStatus: () => true,
    },
  );
  const text = String(answer.data);
  if (answer.status !== 200) {
    throw new Error(`The MCP server ${identifier} answered ${String(answer.status)}: ${text}`);
  }
  const json = /^data: (\{.*\})$/m.exec(text)?.[1] ?? text;
  return toolAnswer.parse(JSON.parse(json)).result.content[0]?.text ?? '';
}
