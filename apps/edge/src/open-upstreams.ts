// Builds what calls upstreams: the connections to providers and to MCP servers, which share sockets and the
// rules about addresses, and those to the runner, which is a part of the gateway itself.

import { readFileSync } from 'node:fs';
import { checkAddress, parseKeyRing } from '@tollgate/contracts/node';
import type { GrpcChannelOptions } from '@tollgate/kit';
import { createSandbox } from '@tollgate/sandbox';

import { ambientSettingsOf } from './ambient-config';
import { addressRulesOf, proxiesOf, type Config } from './config';
import { createMcpGateway, type McpGateway } from './mcp';
import { createMcpConnections } from './mcp/auth';
import { createProviderKeys, createSignIns, createTokenReader } from './mcp/sign-in';
import { createAgents } from './upstream/agents';
import { connectDirectory } from './upstream/catalog';
import { createConnections } from './upstream/connections';
import { createIdentities } from './upstream/credentials';

const CONNECTION_DEADLINE_MS = 2_000;
const SWEEP_MS = 30_000;

export function openUpstreams(
  config: Config,
  catalog: GrpcChannelOptions,
  { nowMs, wallMs }: { nowMs: () => number; wallMs: () => number },
) {
  const rules = addressRulesOf(config);
  const directory = connectDirectory(catalog, CONNECTION_DEADLINE_MS);
  const keyRing = parseKeyRing(config.KEY_ENCRYPTION_KEYS);
  const mayConnect = (address: string, port: number): boolean =>
    checkAddress(address, port, rules).ok;
  const options = agentOptions(config);
  const agents = createAgents({ ...options, proxies: proxiesOf(config), mayConnect });
  const timeouts = {
    connectMs: config.UPSTREAM_CONNECT_TIMEOUT_MS,
    firstByteMs: config.UPSTREAM_FIRST_BYTE_TIMEOUT_MS,
    idleMs: config.UPSTREAM_IDLE_TIMEOUT_MS,
    totalMs: config.UPSTREAM_TOTAL_TIMEOUT_MS,
  };
  const common = { keyRing, agents, timeouts, nowMs };
  const ambient = ambientSettingsOf(config);
  const ambientAgents = openAmbientAgents(config, options);
  const identities = createIdentities({ agents, ambientAgents, ambient, nowMs, wallMs });
  const connections = createConnections({
    ...common,
    identities,
    fetch: directory.getConnection,
  });
  const mcpConnections = createMcpConnections({ ...common, fetch: directory.getMcpConnection });
  const sweep = (): void => {
    connections.sweep();
    mcpConnections.sweep();
  };
  const sweeper = setInterval(sweep, SWEEP_MS);
  const runnerAgents = createAgents({ ...options, mayConnect: () => true });
  const close = async (): Promise<void> => {
    clearInterval(sweeper);
    mcpConnections.close();
    const closing = [connections.close(), ambientAgents.close(), runnerAgents.close()];
    await Promise.all([...closing, sandbox.stop()]);
    directory.close();
  };
  const signIn = {
    signIns: createSignIns({ fetch: directory.getMcpSignIn, nowMs }),
    keys: createProviderKeys({ agents, nowMs }),
  };
  const sandbox = createSandbox();
  const screening = {
    fetch: directory.getScreeningPolicy,
    keyRing,
    agents,
    mayConnect,
    ca: options.ca,
    sandbox,
  };
  const { keepBodies, reportRefused } = directory;
  const reports = { keepBodies, reportRefused };
  return { connections, screening, mcpConnections, ...reports, runnerAgents, signIn, close };
}

/**
 * For what the operator's own environment names. Metadata services are at addresses that tenants never reach, and
 * are called without a proxy.
 */
function openAmbientAgents(config: Config, options: ReturnType<typeof agentOptions>) {
  const proxies = proxiesOf(config);
  const configured = [
    config.AZURE_POD_IDENTITY_AUTHORITY_HOST,
    config.AWS_EC2_METADATA_SERVICE_ENDPOINT,
    `http://${config.GCE_METADATA_HOST}`,
  ].map((url) => new URL(url).hostname);
  const none = [proxies.none, ...METADATA_HOSTS, ...configured].join(',');
  return createAgents({ ...options, proxies: { ...proxies, none }, mayConnect: () => true });
}

const METADATA_HOSTS = [
  '169.254.169.254',
  '169.254.170.2',
  '169.254.170.23',
  '[fd00:ec2::23]',
  '[fd00:ec2::254]',
  'metadata.google.internal',
];

function agentOptions(config: Config) {
  return {
    connections: config.UPSTREAM_SOCKETS,
    keepAliveMs: config.UPSTREAM_KEEP_ALIVE_MS,
    socketAgeMs: config.UPSTREAM_SOCKET_AGE_MS,
    headerBytes: config.UPSTREAM_HEADER_LIMIT_BYTES,
    http2: config.UPSTREAM_HTTP2,
    ca: config.UPSTREAM_CA_FILE === '' ? '' : readFileSync(config.UPSTREAM_CA_FILE, 'utf8'),
    proxies: { http: '', https: '', none: '' },
  };
}

type Upstreams = ReturnType<typeof openUpstreams>;
type SharedParts = Pick<
  McpGateway,
  | 'policy'
  | 'bodies'
  | 'dryRuns'
  | 'json'
  | 'metrics'
  | 'screening'
  | 'traceContent'
  | 'tracing'
  | 'log'
  | 'nowMs'
  | 'random'
  | 'refusals'
  | 'wallMs'
>;

export function openMcp(
  config: Config,
  token: string | undefined,
  { mcpConnections, runnerAgents, signIn }: Upstreams,
  shared: SharedParts,
): McpGateway {
  const publicUrl = config.PUBLIC_EDGE_URL?.replace(/\/+$/, '');
  return createMcpGateway({
    ...shared,
    signIn:
      publicUrl === undefined
        ? undefined
        : {
            publicUrl,
            organisation: config.MCP_OAUTH_ORGANISATION || undefined,
            signIns: signIn.signIns,
            tokens: createTokenReader({ keys: signIn.keys, wallMs: shared.wallMs }),
          },
    connections: mcpConnections,
    bodyDepth: config.BODY_DEPTH_LIMIT,
    origins: config.EDGE_CORS_ORIGINS,
    keyRing: parseKeyRing(config.KEY_ENCRYPTION_KEYS),
    runner:
      config.RUNNER_URL === undefined
        ? undefined
        : {
            url: config.RUNNER_URL,
            hosts: config.RUNNER_HOSTS,
            token,
            agents: runnerAgents,
            connectTimeoutMs: config.UPSTREAM_CONNECT_TIMEOUT_MS,
          },
    streamsPerKeyMost: config.MCP_STREAMS_PER_KEY,
    streamsMost: config.MCP_STREAMS,
    messagesPerMinute: config.MCP_MESSAGES_PER_MINUTE,
  });
}
