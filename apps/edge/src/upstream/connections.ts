import {
  gatewayError,
  isOneOf,
  PROVIDER_TYPES,
  UPSTREAM_FORMATS,
  vendorByType,
  type ProviderType,
  type UpstreamFormat,
} from '@tollgate/contracts';
import {
  openSecret,
  secretContext,
  type Connection__Output,
  type KeyRing,
  type SealedSecret__Output,
} from '@tollgate/contracts/node';
import { singleFlight } from '@tollgate/kit';
import type { Dispatcher } from 'undici';

import type { Agents } from './agents';
import type { Identities, Identity } from './credentials';
import { createKeys, type Keys, type UpstreamKey } from './keys';

/** Everything needed to call one provider. Never logged, because it holds secrets. */
export interface Connection {
  providerId: string;
  version: number;
  providerType: ProviderType;
  upstreamFormat: UpstreamFormat;
  agent: Dispatcher;
  /** Releases the agent; running calls finish first. */
  release: () => void;
  origin: string;
  /** The path of the base URL, without a trailing slash. */
  basePath: string;
  apiVersion: string;
  headers: Readonly<Record<string, string>>;
  /** The provider's own keys; empty if the upstream needs none. */
  secrets: readonly UpstreamKey[];
  /** Selects among `secrets`. */
  keys: Keys;
  /** By the index of the key: what replaces it. Undefined: the key is sent as it is. */
  identities: readonly (Identity | undefined)[];
  timeouts: UpstreamTimeouts;
}

export interface UpstreamTimeouts {
  connectMs: number;
  firstByteMs: number;
  idleMs: number;
  totalMs: number;
}

export interface Connections {
  /** @throws GatewayError `dependency_unavailable`, `provider_misconfigured` */
  get: (providerId: string, version: number) => Connection | Promise<Connection>;
  /** Closes connections that have been idle for a while. */
  sweep: () => void;
  close: () => Promise<void>;
}

export interface ConnectionsDeps {
  /** Undefined: the version does not exist. Throws if catalog is unreachable. */
  fetch: (providerId: string, version: number) => Promise<Connection__Output | undefined>;
  keyRing: KeyRing;
  agents: Agents;
  identities: Identities;
  /** Used if the provider sets none. */
  timeouts: UpstreamTimeouts;
  nowMs: () => number;
}

interface Entry {
  connection: Connection;
  usedMs: number;
}

/** Limit of cached connections; the least recently used one is evicted. */
const MOST = 4_096;
const IDLE_MS = 3_600_000;
/** Requests decided a moment ago may still use a version that was replaced. */
const REPLACED_IDLE_MS = 60_000;

// Caches connection material by provider and version. A version never changes, so cached ones keep
// working while catalog is unreachable.
export function createConnections(deps: ConnectionsDeps): Connections {
  const entries = new Map<string, Entry>();
  const newest = new Map<string, number>();
  const flight = singleFlight<Connection>();

  const get: Connections['get'] = (providerId, version) => {
    const key = `${providerId}:${version}`;
    const entry = entries.get(key);
    if (!entry) return flight(key, () => load(key, providerId, version));
    entry.usedMs = deps.nowMs();
    return entry.connection;
  };

  const load = async (key: string, providerId: string, version: number): Promise<Connection> => {
    const material = await fetchMaterial(deps, providerId, version);
    const connection = openConnection(deps, material);
    if (entries.size >= MOST) dropOldest();
    entries.set(key, { connection, usedMs: deps.nowMs() });
    if (version > (newest.get(providerId) ?? -1)) newest.set(providerId, version);
    return connection;
  };

  const dropOldest = (): void => {
    let oldest: [string, Entry] | undefined;
    for (const row of entries) if (!oldest || row[1].usedMs < oldest[1].usedMs) oldest = row;
    if (oldest) drop(...oldest);
  };

  const drop = (key: string, { connection }: Entry): void => {
    entries.delete(key);
    if (newest.get(connection.providerId) === connection.version) {
      newest.delete(connection.providerId);
    }
    // Running calls finish first; no new ones start.
    connection.release();
  };

  const sweep = (): void => {
    const now = deps.nowMs();
    for (const [key, entry] of entries) {
      const { providerId, version } = entry.connection;
      const replaced = (newest.get(providerId) ?? version) > version;
      if (now - entry.usedMs > (replaced ? REPLACED_IDLE_MS : IDLE_MS)) drop(key, entry);
    }
  };

  const close = async (): Promise<void> => {
    entries.clear();
    await deps.agents.close();
  };

  return { get, sweep, close };
}

async function fetchMaterial(
  deps: ConnectionsDeps,
  providerId: string,
  version: number,
): Promise<Connection__Output> {
  let material: Connection__Output | undefined;
  try {
    material = await deps.fetch(providerId, version);
  } catch (cause) {
    const text = "The provider's settings are unavailable right now. Retry later.";
    throw gatewayError('dependency_unavailable', text, {
      cause,
      details: { dependency: 'catalog' },
    });
  }
  if (!material) throw gatewayError('provider_misconfigured');
  return material;
}

function openConnection(deps: ConnectionsDeps, material: Connection__Output): Connection {
  const { providerType, upstreamFormat } = material;
  const typed = isOneOf(PROVIDER_TYPES, providerType) && isOneOf(UPSTREAM_FORMATS, upstreamFormat);
  if (!typed || !URL.canParse(material.baseUrl)) throw gatewayError('provider_misconfigured');
  const url = new URL(material.baseUrl);
  const timeouts = timeoutsOf(material, deps.timeouts);
  const secrets = material.secrets.map((sealed) => ({
    apiKeyId: sealed.apiKeyId,
    name: sealed.name,
    value: open(deps.keyRing, material.providerId, sealed),
    weight: Math.max(sealed.weight, 1),
  }));
  const identities = openIdentities(deps, material, providerType, url, secrets);
  const { agent, release } = deps.agents.open(url.origin, timeouts.connectMs);
  return {
    providerId: material.providerId,
    version: material.version,
    providerType,
    upstreamFormat,
    agent,
    release: () => {
      release();
      for (const identity of identities) identity?.release();
    },
    origin: url.origin,
    basePath: url.pathname.replace(/\/+$/, ''),
    apiVersion: material.apiVersion,
    headers: configuredHeaders(material.headers),
    secrets,
    keys: createKeys(secrets, deps.nowMs),
    identities,
    timeouts,
  };
}

function openIdentities(
  { identities }: ConnectionsDeps,
  { organisationId }: Connection__Output,
  type: ProviderType,
  baseUrl: URL,
  secrets: readonly UpstreamKey[],
): (Identity | undefined)[] {
  const { cloud } = vendorByType(type);
  if (cloud === null) return [];
  const opened: (Identity | undefined)[] = [];
  try {
    for (const { value } of secrets) {
      opened.push(identities.open({ organisationId, cloud, baseUrl }, value));
    }
  } catch (error) {
    for (const identity of opened) identity?.release();
    throw error;
  }
  return opened;
}

function open(ring: KeyRing, providerId: string, sealed: SealedSecret__Output): string {
  try {
    return openSecret(ring, sealed, secretContext(providerId, sealed.apiKeyId));
  } catch (cause) {
    throw gatewayError('provider_misconfigured', undefined, { cause });
  }
}

function timeoutsOf(material: Connection__Output, defaults: UpstreamTimeouts): UpstreamTimeouts {
  return {
    connectMs: material.connectTimeoutMs || defaults.connectMs,
    firstByteMs: material.firstByteTimeoutMs || defaults.firstByteMs,
    idleMs: material.idleTimeoutMs || defaults.idleMs,
    totalMs: material.timeoutMs || defaults.totalMs,
  };
}

/** Hop-by-hop and framing headers are set only by the gateway. */
const OWN_HEADERS = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** The headers of a connection that an administrator may choose, by their lower-case names. */
export function configuredHeaders(
  headers: Readonly<Record<string, string>>,
): Record<string, string> {
  const rows = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return Object.fromEntries(rows.filter(([name]) => !OWN_HEADERS.has(name)));
}
