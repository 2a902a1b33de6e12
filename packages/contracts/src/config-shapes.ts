// Variables that several services read and that this package can check, described once. An app's
// configShape includes them, as it does those of kit.
import { envVar } from '@tollgate/kit';

import { createAddressRules, DEFAULT_DENIED_PORTS, type AddressRules } from './addresses';
import { parseKeyRing } from './key-ring';

/** For services that seal secrets or open sealed ones. */
export const keyRingShape = {
  KEY_ENCRYPTION_KEYS: envVar.secret({
    check: (text) => {
      parseKeyRing(text);
    },
    description:
      'Keys that encrypt the secrets of providers and MCP servers, as <id>:<base64 of 32 bytes>,…; the first encrypts, all decrypt.',
  }),
};

/** For services that call the catalog. */
export const catalogClientShape = {
  CATALOG_GRPC_ADDRESS: envVar.string({
    default: '127.0.0.1:50052',
    description: 'Address of the catalog’s gRPC service, as host:port.',
  }),
};

/** For services that call the runner. */
export const runnerClientShape = {
  RUNNER_URL: envVar.url({
    optional: true,
    protocols: ['http', 'https'],
    description:
      'URL of the runner, which runs MCP servers without HTTP. Unset: requests to them are refused with 503.',
  }),
};

/** For services that connect to addresses of tenants. */
export const upstreamAddressShape = {
  UPSTREAM_ALLOWED_CIDRS: envVar.list({
    default: [],
    check: (item) => {
      createAddressRules({ allowed: [item] });
    },
    description:
      'Private or loopback networks that providers and MCP servers may be in, as 10.0.0.0/8, 10.0.0.0/8:443, 10.0.0.0/8:8000-8999 or [fd00::/8]:443; others are never connected to.',
  }),
  UPSTREAM_DENIED_PORTS: envVar.list({
    default: DEFAULT_DENIED_PORTS,
    check: (item) => {
      createAddressRules({ allowed: [], denied: [item] });
    },
    description:
      "Ports of the gateway's own services, its database and its Redis, as 5432 or 8080-8086: an entry of UPSTREAM_ALLOWED_CIDRS without ports does not open them. Ports that this service is configured with count as well.",
  }),
};

/** Who may use the gateway's own identity at a cloud. It is the operator's, not an organisation's. */
export const ambientRulesShape = {
  AMBIENT_IDENTITY_ORGANISATIONS: envVar.list({
    default: [],
    description:
      "Ids of the organisations whose providers may use the gateway's own identity at a cloud (type ambient). Unset: none.",
  }),
  AMBIENT_IDENTITY_HOSTS: envVar.list({
    default: [],
    description:
      "Hosts with ports that the gateway's own identity may be used for, beside the clouds' own; they could keep its tokens.",
  }),
};

export interface UpstreamAddresses {
  readonly UPSTREAM_ALLOWED_CIDRS: readonly string[];
  readonly UPSTREAM_DENIED_PORTS: readonly string[];
}

/**
 * Where upstreams may be. `own`: ports of the gateway that this process knows, which are denied too;
 * 0 and undefined are left out.
 */
export function upstreamRulesOf(
  config: UpstreamAddresses,
  own: readonly (number | undefined)[],
): AddressRules {
  const ports = own.filter((port) => port !== undefined).filter((port) => port > 0);
  return createAddressRules({
    allowed: config.UPSTREAM_ALLOWED_CIDRS,
    denied: [...config.UPSTREAM_DENIED_PORTS, ...ports],
  });
}
