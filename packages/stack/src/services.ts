import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

import type { ServiceSettings } from './environment';
import type { Secrets } from './state';

// The processes of a running gateway as a table: the command, the environment, and the readiness
// URL of each.

export const SERVICES = ['simulator', 'catalog', 'policy', 'runner', 'edge', 'admin'] as const;
export type ServiceName = (typeof SERVICES)[number];

export interface Ports {
  readonly edge: number;
  readonly edgeOps: number;
  readonly catalog: number;
  readonly catalogOps: number;
  readonly catalogGrpc: number;
  readonly policyGrpc: number;
  readonly policyHttp: number;
  readonly runner: number;
  readonly runnerOps: number;
  readonly admin: number;
  readonly simulator: number;
}

/** Addresses and ports of this run; several edges or policies have one entry each. */
export interface Layout {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly redisCluster: boolean;
  readonly ports: Ports;
  readonly policyAddresses: readonly string[];
  readonly catalogGrpcAddress: string;
  readonly secrets: Secrets;
  readonly adminEmail: string;
  readonly spoolDir: string;
  /** Whether edge and catalog know the runner. */
  readonly runner: boolean;
  /** The commands that the runner may start; empty: none. */
  readonly commandsFile: string;
  readonly logLevel: string;
}

export interface ServiceSpec {
  readonly entry: string;
  /** The module whose `configShape` names every variable that the service reads. */
  readonly config: string;
  readonly settings: (layout: Layout) => ServiceSettings;
  readonly readyUrl: (layout: Layout) => string;
}

const host = '127.0.0.1';
const url = (port: number, path: string): string => `http://${host}:${String(port)}${path}`;
const loopback = '127.0.0.0/8,::1/128';

const tokenOf = (layout: Layout, caller: string): string => layout.secrets.tokens[caller] ?? '';

/** The accepted callers of a service, each with its token. */
function accepted(layout: Layout, callers: readonly string[]): string {
  return callers.map((caller) => `${caller}=${tokenOf(layout, caller)}`).join(',');
}

const suggested = (layout: Layout): Record<string, string> => ({ LOG_LEVEL: layout.logLevel });
const wired = (): Record<string, string> => ({ HOST: host, NODE_ENV: 'production' });

/** What edge and catalog need to call the runner. */
function runnerUrl({ runner, ports }: Layout): Record<string, string> {
  return runner ? { RUNNER_URL: url(ports.runner, '') } : {};
}

/** All services of this run except the simulator, which is an upstream. */
function ownPorts({ ports, policyAddresses, databaseUrl, redisUrl }: Layout): string {
  const { simulator: _upstream, ...own } = ports;
  const addresses = [...policyAddresses.map((address) => `tcp://${address}`), databaseUrl];
  const others = [...addresses, ...redisUrl.split(',')]
    .filter((address) => URL.canParse(address))
    .map((address) => new URL(address).port);
  return [...Object.values(own).map(String), ...others].filter((port) => port !== '').join(',');
}

export const SERVICE_SPECS: Record<ServiceName, ServiceSpec> = {
  simulator: {
    entry: 'packages/simulator/dist/main.js',
    config: 'packages/simulator/dist/config.js',
    settings: (layout) => ({
      defaults: suggested(layout),
      additions: {},
      wiring: { ...wired(), SIMULATOR_PORT: String(layout.ports.simulator) },
    }),
    readyUrl: (layout) => url(layout.ports.simulator, '/v1/models'),
  },
  catalog: {
    entry: 'apps/catalog/dist/main.js',
    config: 'apps/catalog/dist/config.js',
    settings: (layout) => ({
      defaults: {
        ...suggested(layout),
        JWT_SECRET: layout.secrets.jwtSecret,
        KEY_ENCRYPTION_KEYS: layout.secrets.keyEncryptionKey,
        PUBLIC_CONSOLE_URL: url(layout.ports.admin, ''),
        ...runnerUrl(layout),
      },
      additions: { UPSTREAM_ALLOWED_CIDRS: loopback, UPSTREAM_DENIED_PORTS: ownPorts(layout) },
      wiring: {
        ...wired(),
        CATALOG_PORT: String(layout.ports.catalog),
        CATALOG_OPS_PORT: String(layout.ports.catalogOps),
        CATALOG_GRPC_PORT: String(layout.ports.catalogGrpc),
        DATABASE_URL: layout.databaseUrl,
        INTERNAL_TOKEN: tokenOf(layout, 'catalog'),
        INTERNAL_TOKENS: accepted(layout, ['edge', 'policy', 'runner', 'admin']),
        // The account that creates the demo.
        BOOTSTRAP_ADMIN_EMAIL: layout.adminEmail,
        BOOTSTRAP_ADMIN_PASSWORD: layout.secrets.adminPassword,
      },
    }),
    readyUrl: (layout) => url(layout.ports.catalog, '/api/health'),
  },
  policy: {
    entry: 'apps/policy/dist/main.js',
    config: 'apps/policy/dist/config.js',
    settings: (layout) => ({
      defaults: {
        ...suggested(layout),
        REDIS_CLUSTER: String(layout.redisCluster),
        HOLD_TOKEN_SECRET: layout.secrets.holdTokenSecret,
      },
      additions: {},
      wiring: {
        ...wired(),
        POLICY_GRPC_PORT: String(layout.ports.policyGrpc),
        POLICY_HTTP_PORT: String(layout.ports.policyHttp),
        REDIS_URL: layout.redisUrl,
        CATALOG_GRPC_ADDRESS: layout.catalogGrpcAddress,
        INTERNAL_TOKEN: tokenOf(layout, 'policy'),
        INTERNAL_TOKENS: accepted(layout, ['edge', 'internal', 'ops']),
      },
    }),
    readyUrl: (layout) => url(layout.ports.policyHttp, '/readyz'),
  },
  runner: {
    entry: 'apps/runner/dist/main.js',
    config: 'apps/runner/dist/config.js',
    settings: (layout) => ({
      defaults: {
        ...suggested(layout),
        KEY_ENCRYPTION_KEYS: layout.secrets.keyEncryptionKey,
        RUNNER_COMMANDS_FILE: layout.commandsFile,
        // A developer's machine: the only command is the demo's own.
        RUNNER_SAME_USER: 'true',
      },
      additions: { UPSTREAM_ALLOWED_CIDRS: loopback, UPSTREAM_DENIED_PORTS: ownPorts(layout) },
      wiring: {
        ...wired(),
        RUNNER_PORT: String(layout.ports.runner),
        RUNNER_OPS_PORT: String(layout.ports.runnerOps),
        CATALOG_GRPC_ADDRESS: layout.catalogGrpcAddress,
        INTERNAL_TOKEN: tokenOf(layout, 'runner'),
        INTERNAL_TOKENS: accepted(layout, ['edge', 'catalog']),
      },
    }),
    readyUrl: (layout) => url(layout.ports.runnerOps, '/readyz'),
  },
  edge: {
    entry: 'apps/edge/dist/main.js',
    config: 'apps/edge/dist/config.js',
    settings: (layout) => ({
      defaults: {
        ...suggested(layout),
        KEY_ENCRYPTION_KEYS: layout.secrets.keyEncryptionKey,
        CACHE_INVALIDATION_SECRET: layout.secrets.cacheInvalidationSecret,
        SPOOL_DIR: layout.spoolDir,
        PUBLIC_EDGE_URL: url(layout.ports.edge, ''),
        ...runnerUrl(layout),
      },
      additions: { UPSTREAM_ALLOWED_CIDRS: loopback, UPSTREAM_DENIED_PORTS: ownPorts(layout) },
      wiring: {
        ...wired(),
        EDGE_PORT: String(layout.ports.edge),
        EDGE_OPS_PORT: String(layout.ports.edgeOps),
        POLICY_GRPC_ADDRESSES: layout.policyAddresses.join(','),
        CATALOG_GRPC_ADDRESS: layout.catalogGrpcAddress,
        INTERNAL_TOKEN: tokenOf(layout, 'edge'),
      },
    }),
    readyUrl: (layout) => url(layout.ports.edgeOps, '/healthz'),
  },
  admin: {
    entry: 'apps/admin/start.mjs',
    // Its build has no config module; Node strips the types of this one.
    config: 'apps/admin/src/config.ts',
    settings: (layout) => ({
      defaults: suggested(layout),
      additions: {},
      wiring: {
        ...wired(),
        ADMIN_PORT: String(layout.ports.admin),
        CATALOG_URL: url(layout.ports.catalog, ''),
        INTERNAL_TOKEN: layout.secrets.tokens['admin'] ?? '',
        EDGE_URL: url(layout.ports.edge, ''),
      },
    }),
    readyUrl: (layout) => url(layout.ports.admin, '/login'),
  },
};

/** The variables that a built service documents, from its configuration table. */
export function variablesOf(service: ServiceName): readonly string[] {
  const file = join(workspaceRoot(), SERVICE_SPECS[service].config);
  const { configShape } = require(file) as { configShape?: object };
  if (configShape === undefined) throw new Error(`${file} exports no configShape`);
  return Object.keys(configShape);
}

/** The workspace's root, from the source and from the build alike. */
export function workspaceRoot(): string {
  let dir = __dirname;
  while (!existsSync(join(dir, 'pnpm-workspace.yaml'))) {
    const parent = dirname(dir);
    if (parent === dir) throw new Error(`no workspace above ${__dirname}`);
    dir = parent;
  }
  return dir;
}
