import { envVar } from './env-var';
import { LOG_LEVELS } from './logger';
import { checkToken, parseTokens } from './service-tokens';

// Variables that every service has, described once. An app's configShape includes them: `{
// ...serviceShape, ...grpcShape, MY_PORT: envVar.port(…) }`.

export const serviceShape = {
  HOST: envVar.string({
    default: '127.0.0.1',
    description: 'Address to listen on. Any address other than loopback requires service tokens.',
  }),
  LOG_LEVEL: envVar.choice({
    choices: LOG_LEVELS,
    default: 'info',
    description: 'The lowest level of log lines that are written.',
  }),
};

/** For services with a client port beside the ops port. */
export const publicMetricsShape = {
  METRICS_ENABLED: envVar.bool({
    default: false,
    description:
      'Whether GET /metrics is also served on EDGE_PORT and CATALOG_PORT, which clients reach; the ops ports always serve it.',
  }),
};

/** Metrics whose labels name tenants. */
export const tenantMetricsShape = {
  METRICS_TENANTS: envVar.choice({
    choices: ['off', 'on'],
    default: 'on',
    description:
      'Whether metrics name organisations, teams, models and limits. They never do with METRICS_ENABLED, because clients would read them.',
  }),
};

/** Whether metrics may name tenants. */
export function namesTenants(config: {
  readonly METRICS_TENANTS: 'off' | 'on';
  readonly METRICS_ENABLED: boolean;
}): boolean {
  return config.METRICS_TENANTS === 'on' && !config.METRICS_ENABLED;
}

/** For services that call another one. */
export const callerShape = {
  INTERNAL_TOKEN: envVar.secret({
    default: '',
    check: checkToken,
    description:
      'The token that this service sends to the services it calls. Unset: the entry with its name in INTERNAL_TOKENS.',
  }),
};

export const grpcShape = {
  INTERNAL_TOKENS: envVar.secret({
    default: '',
    check: (text) => {
      parseTokens(text);
    },
    description:
      "The tokens of the callers that this service's gRPC port accepts, as <service>=<token>,…; a service has two while its token is replaced. An entry with a service's own name serves as its INTERNAL_TOKEN. The names and what each may call: docs/policy-service.md.",
  }),
  GRPC_TLS_CERT: envVar.string({
    optional: true,
    description:
      'PEM file of the certificate that this service presents on gRPC, as server and as client.',
  }),
  GRPC_TLS_KEY: envVar.string({
    optional: true,
    description: 'PEM file of the private key to GRPC_TLS_CERT.',
  }),
  GRPC_TLS_CA: envVar.string({
    optional: true,
    description:
      'PEM file of the authority that signs every service. If it is set, gRPC uses mutual TLS.',
  }),
};
