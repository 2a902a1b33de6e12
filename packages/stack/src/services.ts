import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

import type { Secrets } from './state';

// The processes of a running gateway as a table: what starts each, what it is told through its
// environment, and where it says that it is ready.

export const SERVICES = ['simulator', 'catalog', 'policy', 'edge', 'admin'] as const;
export type ServiceName = (typeof SERVICES)[number];

export interface Ports {
  readonly edge: number;
  readonly catalog: number;
  readonly catalogGrpc: number;
  readonly policyGrpc: number;
  readonly policyHttp: number;
  readonly admin: number;
  readonly simulator: number;
}

/** Where everything of this run is; several edges or policies have one entry each. */
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
  readonly logLevel: string;
}

export interface ServiceSpec {
  readonly entry: string;
  readonly env: (layout: Layout) => Record<string, string>;
  readonly readyUrl: (layout: Layout) => string;
}

const host = '127.0.0.1';
const url = (port: number, path: string): string => `http://${host}:${String(port)}${path}`;
const loopback = '127.0.0.0/8,::1/128';

function tokens(layout: Layout, callers: readonly string[]): string {
  return callers.map((caller) => `${caller}=${layout.secrets.tokens[caller] ?? ''}`).join(',');
}

const common = (layout: Layout): Record<string, string> => ({
  HOST: host,
  LOG_LEVEL: layout.logLevel,
  NODE_ENV: 'production',
});

export const SERVICE_SPECS: Record<ServiceName, ServiceSpec> = {
  simulator: {
    entry: 'packages/simulator/dist/main.js',
    env: (layout) => ({ ...common(layout), SIMULATOR_PORT: String(layout.ports.simulator) }),
    readyUrl: (layout) => url(layout.ports.simulator, '/v1/models'),
  },
  catalog: {
    entry: 'apps/catalog/dist/main.js',
    env: (layout) => ({
      ...common(layout),
      CATALOG_PORT: String(layout.ports.catalog),
      CATALOG_GRPC_PORT: String(layout.ports.catalogGrpc),
      DATABASE_URL: layout.databaseUrl,
      JWT_SECRET: layout.secrets.jwtSecret,
      KEY_ENCRYPTION_KEYS: layout.secrets.keyEncryptionKey,
      INTERNAL_TOKENS: tokens(layout, ['edge', 'policy']),
      BOOTSTRAP_ADMIN_EMAIL: layout.adminEmail,
      BOOTSTRAP_ADMIN_PASSWORD: layout.secrets.adminPassword,
      UPSTREAM_ALLOWED_CIDRS: loopback,
      TRUSTED_PROXIES: loopback,
      PUBLIC_CONSOLE_URL: url(layout.ports.admin, ''),
    }),
    readyUrl: (layout) => url(layout.ports.catalog, '/api/health'),
  },
  policy: {
    entry: 'apps/policy/dist/main.js',
    env: (layout) => ({
      ...common(layout),
      POLICY_GRPC_PORT: String(layout.ports.policyGrpc),
      POLICY_HTTP_PORT: String(layout.ports.policyHttp),
      REDIS_URL: layout.redisUrl,
      REDIS_CLUSTER: String(layout.redisCluster),
      CATALOG_GRPC_ADDRESS: layout.catalogGrpcAddress,
      INTERNAL_TOKENS: tokens(layout, ['edge', 'policy', 'internal', 'ops']),
      HOLD_TOKEN_SECRET: layout.secrets.holdTokenSecret,
    }),
    readyUrl: (layout) => url(layout.ports.policyHttp, '/healthz'),
  },
  edge: {
    entry: 'apps/edge/dist/main.js',
    env: (layout) => ({
      ...common(layout),
      EDGE_PORT: String(layout.ports.edge),
      POLICY_GRPC_ADDRESSES: layout.policyAddresses.join(','),
      CATALOG_GRPC_ADDRESS: layout.catalogGrpcAddress,
      KEY_ENCRYPTION_KEYS: layout.secrets.keyEncryptionKey,
      INTERNAL_TOKENS: tokens(layout, ['edge']),
      UPSTREAM_ALLOWED_CIDRS: loopback,
      SPOOL_DIR: layout.spoolDir,
      CACHE_INVALIDATION_SECRET: layout.secrets.cacheInvalidationSecret,
    }),
    readyUrl: (layout) => url(layout.ports.edge, '/v1/healthz'),
  },
  admin: {
    entry: 'apps/admin/start.mjs',
    env: (layout) => ({
      ...common(layout),
      ADMIN_PORT: String(layout.ports.admin),
      CATALOG_URL: url(layout.ports.catalog, ''),
      EDGE_URL: url(layout.ports.edge, ''),
    }),
    readyUrl: (layout) => url(layout.ports.admin, '/login'),
  },
};

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
