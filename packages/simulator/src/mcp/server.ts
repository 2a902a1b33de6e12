// Makes an MCP server of the SDK from the tables: one per session, per request of the stateless
// revision, or per stdio connection. All of them share the state in upstream.ts.

import {
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  ResourceTemplate,
  type CallToolRequest,
  type Tool as ListedTool,
  type ServerContext,
} from '@modelcontextprotocol/server';

import { textOf } from '../json';
import { pageOf } from './pages';
import { PROMPTS, SUGGESTIONS } from './prompts';
import { contentsOf, RESOURCES, TEMPLATE, templateContents } from './resources';
import { compiled, NO_INPUT } from './schemas';
import { requestState, toolsOf, type Tool, type ToolResult } from './tools';
import { text } from './tools/tool';
import type { McpUpstream } from './upstream';

const CAPABILITIES = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  logging: {},
  completions: {},
};

/** Lists are the same for everyone; a resource may differ between callers. */
const CACHE_HINTS = {
  'tools/list': { ttlMs: 60_000, cacheScope: 'public' },
  'prompts/list': { ttlMs: 60_000, cacheScope: 'public' },
  'resources/list': { ttlMs: 60_000, cacheScope: 'public' },
  'resources/templates/list': { ttlMs: 60_000, cacheScope: 'public' },
  'resources/read': { ttlMs: 5_000, cacheScope: 'private' },
  'server/discover': { ttlMs: 60_000, cacheScope: 'public' },
} as const;

/** `subscriptions` takes the URIs that the client subscribes to. */
export function createMcpServer(
  upstream: McpUpstream,
  subscriptions: Set<string> = new Set(),
  extraTools: readonly Tool[] = [],
): McpServer {
  const server = new McpServer(
    { name: `simulator-${upstream.name}`, version: '1.0.0' },
    {
      capabilities: CAPABILITIES,
      cacheHints: CACHE_HINTS,
      instructions: 'A server to test against.',
      requestState: { verify: (state, context) => requestState.verify(state, context) },
    },
  );
  addTools(server, upstream, extraTools);
  addResources(server, subscriptions);
  addPrompts(server);
  return server;
}

function addTools(server: McpServer, upstream: McpUpstream, extraTools: readonly Tool[]): void {
  const { pages = 1 } = upstream.directives;
  const tools = (): readonly Tool[] => [...toolsOf(upstream), ...extraTools];
  // Registered too, since the SDK compares headers with the schemas of registered tools.
  for (const tool of tools()) {
    const inputSchema = compiled(tool.input ?? NO_INPUT);
    server.registerTool(tool.name, { description: tool.description, inputSchema }, () => text(''));
  }
  server.server.setRequestHandler('tools/list', ({ params }) => {
    const { items, nextCursor } = pageOf(tools(), pages, params?.cursor);
    return { tools: items.map(listed), ...(nextCursor !== undefined && { nextCursor }) };
  });
  // The SDK's own handler answers every error of a tool as a result, ProtocolError included.
  server.server.setRequestHandler('tools/call', ({ params }, context) =>
    callTool(tools(), params, context, upstream),
  );
}

function listed({ description, input = NO_INPUT, name }: Tool): ListedTool {
  return { name, description, inputSchema: input as ListedTool['inputSchema'] };
}

async function callTool(
  tools: readonly Tool[],
  { arguments: args = {}, name }: CallToolRequest['params'],
  context: ServerContext,
  upstream: McpUpstream,
): Promise<ToolResult> {
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${name}.`);
  upstream.countTool(name, 'started');
  try {
    return await tool.run(args, context, upstream);
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    return { ...text(error instanceof Error ? error.message : String(error)), isError: true };
  } finally {
    upstream.countTool(name, context.mcpReq.signal.aborted ? 'cancelled' : 'finished');
  }
}

function addResources(server: McpServer, subscriptions: Set<string>): void {
  for (const resource of RESOURCES) {
    const { description, mimeType, name, uri } = resource;
    server.registerResource(name, uri, { description, mimeType }, () => contentsOf(resource));
  }
  server.registerResource(
    'template',
    new ResourceTemplate(TEMPLATE, { list: undefined }),
    { description: 'A resource for each id.', mimeType: 'application/json' },
    (uri, { id }) => templateContents(uri.href, textOf(id)),
  );
  server.server.setRequestHandler('resources/subscribe', ({ params }) => {
    subscriptions.add(params.uri);
    return {};
  });
  server.server.setRequestHandler('resources/unsubscribe', ({ params }) => {
    subscriptions.delete(params.uri);
    return {};
  });
}

function addPrompts(server: McpServer): void {
  for (const prompt of PROMPTS) {
    const { args, description, name } = prompt;
    if (args === undefined) {
      server.registerPrompt(name, { description }, (context) => prompt.run({}, context));
      continue;
    }
    const config = { description, argsSchema: compiled(args) };
    server.registerPrompt(name, config, (given, context) => prompt.run(given, context));
  }
  server.server.setRequestHandler('completion/complete', ({ params }) => {
    const values = SUGGESTIONS.filter((word) => word.startsWith(params.argument.value));
    return { completion: { values, total: values.length, hasMore: false } };
  });
}
