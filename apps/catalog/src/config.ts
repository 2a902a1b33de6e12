import {
  ambientRulesShape,
  checkCidrs,
  keyRingShape,
  runnerClientShape,
  upstreamAddressShape,
  upstreamRulesOf,
  writtenPort,
  type AddressRules,
} from '@tollgate/contracts/node';
import {
  callerShape,
  envVar,
  grpcShape,
  publicMetricsShape,
  serviceShape,
  tenantMetricsShape,
  type ConfigOf,
} from '@tollgate/kit';
import { tracingShape } from '@tollgate/kit/tracing';

import { parseSigningSecrets } from './auth/signing-secrets';
import { ssoShape } from './auth/sso/settings';

const databaseUrl = {
  DATABASE_URL: envVar.url({
    secret: true,
    protocols: ['postgres', 'postgresql'],
    description: 'The catalog’s PostgreSQL database (15 to 18).',
  }),
};

/** The environment variables of the catalog. */
export const configShape = {
  ...serviceShape,
  ...publicMetricsShape,
  ...tenantMetricsShape,
  ...callerShape,
  ...grpcShape,
  ...tracingShape,
  ...databaseUrl,
  DATABASE_POOL_SIZE: envVar.int({
    default: 10,
    min: 2,
    max: 200,
    unit: 'connections',
    description:
      'Maximum connections of each of the two pools: one for REST, one for ledger and directory.',
  }),
  RUN_MIGRATIONS: envVar.bool({
    default: true,
    description:
      'Whether the schema is migrated at start. If several replicas start, the first one migrates.',
  }),
  DECISIONS_KEPT_PER_DAY: envVar.int({
    default: 10_000,
    min: 0,
    max: 10_000_000,
    unit: 'decisions',
    description:
      'Most decisions of one organisation that are kept on a day (UTC), as its setting keepDecisions asks; 0: none. Later ones are counted only.',
  }),
  CATALOG_PORT: envVar.port({
    default: 8081,
    description: 'HTTP port of the management API and its health.',
  }),
  CATALOG_OPS_PORT: envVar.port({
    default: 8084,
    description:
      'Port for operators: /livez, /readyz, /healthz and /metrics; do not expose it to clients.',
  }),
  CATALOG_GRPC_PORT: envVar.port({
    default: 50_052,
    description: 'gRPC port of Directory and Ledger, for policy and edge.',
  }),
  JWT_SECRET: envVar.secret({
    check: (text) => {
      parseSigningSecrets(text);
    },
    description:
      'Secrets of the access tokens of the management API, separated by commas, each of at least 32 characters; the first signs and all verify. The same on every replica.',
  }),
  ...keyRingShape,
  ...upstreamAddressShape,
  ...ambientRulesShape,
  ...runnerClientShape,
  BOOTSTRAP_ADMIN_EMAIL: envVar.string({
    optional: true,
    description:
      'Email address of the super admin that is created at start if there is no user yet.',
  }),
  BOOTSTRAP_ADMIN_PASSWORD: envVar.secret({
    optional: true,
    description: 'The password of BOOTSTRAP_ADMIN_EMAIL.',
  }),
  TRUSTED_PROXIES: envVar.list({
    default: [],
    check: (item) => {
      checkCidrs([item.includes('/') ? item : `${item}/${item.includes(':') ? '128' : '32'}`]);
    },
    description:
      'Addresses or networks of proxies in front of the management API whose X-Forwarded-* headers are trusted. The console needs no entry: it sends its token (admin=… in INTERNAL_TOKENS).',
  }),
  CONSOLE_ORIGINS: envVar.list({
    default: [],
    description: 'Origins whose pages may call the management API from a browser (CORS).',
  }),
  PUBLIC_CONSOLE_URL: envVar.url({
    protocols: ['https', 'http'],
    default: 'http://localhost:3000',
    description: 'The console’s address for its users; links in mail and redirects begin with it.',
  }),
  SMTP_URL: envVar.url({
    secret: true,
    protocols: ['smtp', 'smtps'],
    optional: true,
    description:
      'The mail server, as smtps://user:password@host:port. Unset: links are shown instead of mailed.',
  }),
  MAIL_FROM: envVar.string({
    optional: true,
    description: 'Sender of all mail, as Tollgate <tollgate@example.com>; required with SMTP_URL.',
  }),
  ALERT_INTERVAL_SECONDS: envVar.int({
    default: 30,
    min: 1,
    max: 3_600,
    unit: 'seconds',
    description: 'How often alert rules are evaluated, by all catalogs together.',
  }),
  BODIES_ALLOWED: envVar.bool({
    default: true,
    description:
      'Whether organisations may keep bodies of their requests. If false, none is kept; those that are kept stay until their end, and can be looked at and deleted.',
  }),
  BODIES_DAY_BYTES: envVar.int({
    default: 1_073_741_824,
    min: 1_048_576,
    max: 1_099_511_627_776,
    unit: 'bytes',
    description:
      'Maximum bodies that are kept of one organisation in a day (UTC), compressed. Beyond it the page of a request says that its bodies were not kept.',
  }),
  ...ssoShape,
};
export type Config = ConfigOf<typeof configShape>;

/** Where upstreams may be. The gateway's own ports known to this process are denied. */
export function addressRulesOf(config: Config): AddressRules {
  const { DATABASE_URL, PUBLIC_CONSOLE_URL, RUNNER_URL = '' } = config;
  return upstreamRulesOf(config, [
    config.CATALOG_PORT,
    config.CATALOG_OPS_PORT,
    config.CATALOG_GRPC_PORT,
    ...[DATABASE_URL, PUBLIC_CONSOLE_URL, RUNNER_URL].map(writtenPort),
  ]);
}

/** The variables of the migration command. */
export const migrateConfigShape = { LOG_LEVEL: serviceShape.LOG_LEVEL, ...databaseUrl };

/** The variables of the key rotation command. */
export const rotateConfigShape = { ...databaseUrl, ...keyRingShape };

/** The environment, for the launchers. Nothing else in this service reads it. */
export const environment = process.env;
