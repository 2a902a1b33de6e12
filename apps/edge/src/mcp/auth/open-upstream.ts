// Makes a connection from what catalog stores about an MCP server.

import { gatewayError, isOneOf } from '@tollgate/contracts';
import {
  mcpSecretContext,
  openSecret,
  type KeyRing,
  type McpConnection__Output,
} from '@tollgate/contracts/node';

import type { Agents } from '../../upstream/agents';
import { configuredHeaders } from '../../upstream/connections';
import { createCredentials, type Credentials } from './credentials';
import { httpUrl, misconfigured } from './misconfigured';
import type { McpUpstream } from './upstream';

export interface OpenedUpstream {
  readonly upstream: McpUpstream;
  /** Undefined: the runner has them. */
  readonly credentials: Credentials | undefined;
  /** Releases the connection pools; running calls finish first. */
  readonly release: () => void;
}

export interface OpeningDeps {
  keyRing: KeyRing;
  /** Apply the rules about addresses, to token endpoints too. */
  agents: Pick<Agents, 'open'>;
  /** Used if the server sets none. */
  timeouts: { readonly connectMs: number; readonly idleMs: number };
  /** Monotonic milliseconds. */
  nowMs: () => number;
}

const TRANSPORTS = ['STREAMABLE_HTTP', 'SSE', 'STDIO'] as const;

/** @throws GatewayError `provider_misconfigured` */
export function openUpstream(deps: OpeningDeps, material: McpConnection__Output): OpenedUpstream {
  const { identifier, serverId, transport, version } = material;
  if (!isOneOf(TRANSPORTS, transport)) throw misconfigured('its transport is unknown');
  const base = {
    serverId,
    version,
    identifier,
    region: material.region,
    headers: ownHeadersRemoved(material.headers),
    connectTimeoutMs: material.connectTimeoutMs || deps.timeouts.connectMs,
    idleTimeoutMs: material.idleTimeoutMs || deps.timeouts.idleMs,
  };
  if (transport !== 'STREAMABLE_HTTP') {
    return { upstream: { ...base, transport }, credentials: undefined, release: () => undefined };
  }
  const url = httpUrl(material.url, 'its URL');
  const credentials = createCredentials(material.auth, openMaterialSecret(deps.keyRing, material), {
    openAgent: (origin) => deps.agents.open(origin, base.connectTimeoutMs),
    connectTimeoutMs: base.connectTimeoutMs,
    nowMs: deps.nowMs,
  });
  const { agent, release } = deps.agents.open(url.origin, base.connectTimeoutMs);
  return {
    upstream: {
      ...base,
      transport,
      agent,
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
    },
    credentials,
    release: () => {
      release();
      credentials.release();
    },
  };
}

/** Empty: the server has none. */
function openMaterialSecret(ring: KeyRing, { secret, serverId }: McpConnection__Output): string {
  if (!secret) return '';
  try {
    return openSecret(ring, secret, mcpSecretContext(serverId));
  } catch (cause) {
    throw gatewayError('provider_misconfigured', undefined, { cause });
  }
}

/** Headers of the protocol are set for each request; rows of earlier releases may have some. */
const PROTOCOL_HEADER =
  /^(?:mcp-.*|accept|accept-encoding|last-event-id|traceparent|tracestate|baggage|cookie|origin)$/;

function ownHeadersRemoved(headers: Readonly<Record<string, string>>): Record<string, string> {
  const rows = Object.entries(configuredHeaders(headers));
  return Object.fromEntries(rows.filter(([name]) => !PROTOCOL_HEADER.test(name)));
}
