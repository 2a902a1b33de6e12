import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { RUNNER_PRINCIPAL_HEADER, type rest } from '@tollgate/contracts';
import {
  canonicalDigest,
  mcpSecretContext,
  openSecret,
  type AddressRules,
  type KeyRing,
} from '@tollgate/contracts/node';
import { Agent, type Dispatcher } from 'undici';

import { mcpAuthOf, type McpServer } from '../../../entities/mcp-server.entity';
import { createGuardedAgent } from '../../../outbound';
import type { Call } from '../../../rest/call';
import { withUpstreamSlots } from '../../providers/try-provider';
import type { McpServerDeps } from '../connection-settings';
import { findServer } from '../mcp-servers';
import { authHeaders } from './auth-headers';
import { createBoundedFetch, type BoundedFetch, type Problem } from './bounded-fetch';
import { describeProblem } from './describe-problem';
import { describeRunnerRefusal } from './describe-runner-refusal';
import { listTools, type SentTool } from './list-tools';

/**
 * Tests a server as a client would use it: authenticates, finds out its era, and lists its tools. Servers
 * that have no Streamable HTTP are tested through the runner.
 */

export interface RunnerAccess {
  readonly url: string;
  /** The token that the catalog sends to other services; undefined: the runner asks for none. */
  readonly token: string | undefined;
}

export interface ConnectionTestDeps extends McpServerDeps {
  readonly runner?: RunnerAccess | undefined;
}

const TIMEOUT_MS = 20_000;
/** Of all answers of a test together. */
const LIMIT_BYTES = 8 * 1024 * 1024;
/** Sessions and token requests need few connections at once. */
const CONNECTIONS = 4;

/** The first revision without sessions. */
const MODERN_SINCE = '2026-07-28';

type Result = Omit<rest.McpServerTest, 'latencyMs'>;

export async function testServer(
  call: Call<typeof rest.testMcpServer>,
  deps: ConnectionTestDeps,
): Promise<rest.McpServerTest> {
  const server = await findServer(call, call.params.mcpServerId);
  const startedMs = performance.now();
  const result = await withUpstreamSlots(1, () => tested(server, call.actor.id, deps));
  return { ...result, latencyMs: Math.round(performance.now() - startedMs) };
}

const NOTHING = {
  ok: false,
  era: null,
  protocolVersion: null,
  serverInfo: null,
  tools: [],
  truncated: false,
  missingPins: [],
} as const satisfies Partial<Result>;

async function tested(
  server: McpServer,
  actorId: string,
  deps: ConnectionTestDeps,
): Promise<Result> {
  if (server.transport !== 'STREAMABLE_HTTP') {
    if (deps.runner === undefined) return refused('RUNNER', noRunner(server));
    const agent = new Agent({ connections: CONNECTIONS, connectTimeout: server.connectTimeoutMs });
    const { url, token } = deps.runner;
    const path = `v1/servers/${server.id}/${server.connectionVersion}`;
    const headers = {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      [RUNNER_PRINCIPAL_HEADER]: actorId,
    };
    return withAgent(agent, (attempt) =>
      connected(server, new URL(path, url.endsWith('/') ? url : `${url}/`), headers, attempt),
    );
  }
  const agent = guardedAgent(server, deps.addressRules);
  return withAgent(agent, (attempt) => direct(server, deps, attempt));
}

function noRunner({ transport }: McpServer): string {
  return `A server of transport ${transport} needs the runner, and none is set up: RUNNER_URL is not set.`;
}

function guardedAgent(server: McpServer, addressRules: AddressRules): Agent {
  return createGuardedAgent({
    addressRules,
    connectTimeoutMs: Math.min(server.connectTimeoutMs, TIMEOUT_MS),
    responseLimitBytes: LIMIT_BYTES,
    connections: CONNECTIONS,
  });
}

/** One test's connections and its time. */
interface Attempt {
  readonly signal: AbortSignal;
  readonly fetchWith: (headers: Readonly<Record<string, string>>) => BoundedFetch;
}

async function withAgent(agent: Dispatcher, test: (attempt: Attempt) => Promise<Result>) {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    return await test({
      signal,
      fetchWith: (headers) =>
        createBoundedFetch({ dispatcher: agent, headers, signal, limitBytes: LIMIT_BYTES }),
    });
  } finally {
    await agent.destroy();
  }
}

async function direct(
  server: McpServer,
  { keyRing }: McpServerDeps,
  attempt: Attempt,
): Promise<Result> {
  const secret = secretOf(server, keyRing);
  const asking = attempt.fetchWith({});
  let auth: Record<string, string>;
  try {
    auth = await authHeaders(mcpAuthOf(server), secret, asking.fetch);
  } catch (error) {
    const problem = asking.problem();
    return refused('AUTH', describeProblem({ error, problem, secret, field: 'auth.tokenUrl' }));
  }
  const headers = { ...lowerCased(server.headers), ...auth };
  return connected(server, new URL(server.url ?? ''), headers, attempt, secret);
}

async function connected(
  server: McpServer,
  url: URL,
  headers: Record<string, string>,
  { signal, fetchWith }: Attempt,
  secret: string | null = null,
): Promise<Result> {
  const asking = fetchWith(headers);
  const transport = new StreamableHTTPClientTransport(url, { fetch: asking.fetch });
  const client = new Client(
    { name: 'tollgate', version: '1' },
    { versionNegotiation: { mode: 'auto' } },
  );
  const throughRunner = server.transport !== 'STREAMABLE_HTTP';
  const field = throughRunner ? 'RUNNER_URL' : 'url';
  const failed = (error: unknown, stage: rest.McpTestStage): Result => {
    const problem = asking.problem();
    const refusal = throughRunner ? describeRunnerRefusal(problem) : undefined;
    if (refusal) return refused(refusal.stage ?? stage, refusal.message);
    return refused(
      stageOf(problem, server, stage),
      describeProblem({ error, problem, secret, field }),
    );
  };
  try {
    await client.connect(transport, { signal });
  } catch (error) {
    await client.close();
    return failed(error, 'INITIALIZE');
  }
  const about = aboutServer(client);
  try {
    const { tools, truncated } = await listTools(client, { signal });
    return {
      ...about,
      ...comparedTools(server, tools, truncated),
      ok: true,
      truncated,
      error: null,
    };
  } catch (error) {
    return { ...failed(error, 'LIST_TOOLS'), ...about };
  } finally {
    // Best effort: servers forget sessions that are not used.
    await transport.terminateSession().catch(() => undefined);
    await client.close();
  }
}

function stageOf(
  problem: Problem | undefined,
  server: McpServer,
  stage: rest.McpTestStage,
): rest.McpTestStage {
  if (problem?.kind === 'failed') {
    return server.transport === 'STREAMABLE_HTTP' ? 'CONNECT' : 'RUNNER';
  }
  return problem !== undefined && [401, 403].includes(problem.status) ? 'AUTH' : stage;
}

function refused(stage: rest.McpTestStage, message: string): Result {
  return { ...NOTHING, tools: [], missingPins: [], error: { stage, message } };
}

function aboutServer(client: Client): Pick<Result, 'era' | 'protocolVersion' | 'serverInfo'> {
  const version = client.getNegotiatedProtocolVersion();
  const server = client.getServerVersion();
  return {
    era: version !== undefined && version >= MODERN_SINCE ? 'MODERN' : 'LEGACY',
    protocolVersion: version ?? null,
    serverInfo:
      server === undefined
        ? null
        : { name: server.name, title: server.title ?? null, version: server.version },
  };
}

function comparedTools(
  { pinnedTools }: McpServer,
  sent: readonly SentTool[],
  truncated: boolean,
): Pick<Result, 'tools' | 'missingPins'> {
  const pins = new Map(pinnedTools.map(({ name, sha256 }) => [name, sha256]));
  const tools = sent.map((tool) => testedTool(tool, pins));
  const listed = new Set(sent.map(({ name }) => name));
  // Of a list that is read in part only, nobody knows what is missing.
  const missing = truncated ? [] : [...pins.keys()].filter((name) => !listed.has(name));
  return { tools, missingPins: missing };
}

function testedTool(sent: SentTool, pins: ReadonlyMap<string, string>): rest.McpTestedTool {
  const sha256 = canonicalDigest(sent).toString('hex');
  const pinned = pins.get(sent.name);
  const { name, title, description, inputSchema } = sent;
  return {
    name,
    title: typeof title === 'string' ? title : null,
    description: typeof description === 'string' ? description : null,
    inputSchema: isRecord(inputSchema) ? inputSchema : {},
    sha256,
    pin: pinned === undefined ? 'NONE' : pinned === sha256 ? 'MATCH' : 'CHANGED',
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function secretOf(row: McpServer, keyRing: KeyRing): string | null {
  const {
    secretKeyId: keyId,
    secretNonce: nonce,
    secretCiphertext: ciphertext,
    secretTag: tag,
  } = row;
  if (keyId === null || nonce === null || ciphertext === null || tag === null) return null;
  return openSecret(keyRing, { keyId, nonce, ciphertext, tag }, mcpSecretContext(row.id));
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
}
