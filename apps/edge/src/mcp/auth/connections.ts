// Caches how MCP servers are reached. Catalog keeps only the current version of a connection, so one
// version of each server is kept here too; it keeps working while catalog is unreachable.

import { gatewayError } from '@tollgate/contracts';
import type { McpConnection__Output } from '@tollgate/contracts/node';
import { singleFlight } from '@tollgate/kit';

import { createRedact, type Redact } from '../../upstream/redact';
import { openUpstream, type OpenedUpstream, type OpeningDeps } from './open-upstream';
import type { McpUpstream } from './upstream';

export interface McpConnections {
  /**
   * The connection of this version or a newer one.
   * @throws GatewayError `mcp_access_denied` (the server was removed), `dependency_unavailable`,
   * `provider_misconfigured`
   */
  get: (serverId: string, version: number) => McpUpstream | Promise<McpUpstream>;
  /**
   * The headers that authenticate the gateway; they replace configured ones.
   * @throws GatewayError `provider_auth_failed`, `provider_misconfigured`
   */
  authHeaders: (upstream: McpUpstream) => Promise<Readonly<Record<string, string>>>;
  /** The server refused these headers. True: others can be had, so the request can be sent once more. */
  refused: (upstream: McpUpstream, headers: Readonly<Record<string, string>>) => boolean;
  /** Removes the server's secrets from a text. */
  redactOf: (upstream: McpUpstream) => Redact;
  /** Closes connections that have been idle for a while, and replaced ones. */
  sweep: () => void;
  close: () => void;
}

export interface McpConnectionsDeps extends OpeningDeps {
  /** Undefined: there is no such server. Throws if catalog is unreachable. */
  fetch: (serverId: string, version: number) => Promise<McpConnection__Output | undefined>;
}

interface Entry extends OpenedUpstream {
  usedMs: number;
}

/** Limit of cached connections; the least recently used one is evicted. */
const MOST = 4_096;
const IDLE_MS = 3_600_000;
/** Requests that were given a connection a moment ago may not have started their call. */
const REPLACED_MS = 60_000;

export function createMcpConnections(deps: McpConnectionsDeps): McpConnections {
  const entries = new Map<string, Entry>();
  const opened = new WeakMap<McpUpstream, Entry>();
  let replaced: { entry: Entry; sinceMs: number }[] = [];
  const flight = singleFlight<McpUpstream>();

  const get: McpConnections['get'] = (serverId, version) => {
    const entry = entries.get(serverId);
    if (!entry || entry.upstream.version < version) {
      return flight(`${serverId}:${version}`, () => load(serverId, version));
    }
    entry.usedMs = deps.nowMs();
    return entry.upstream;
  };

  const load = async (serverId: string, version: number): Promise<McpUpstream> => {
    const material = await fetchMaterial(deps, serverId, version);
    const known = entries.get(serverId);
    // Two versions may be asked for at once, and their replies arrive in any order.
    if (known && known.upstream.version >= material.version) return known.upstream;
    const entry = { ...openUpstream(deps, material), usedMs: deps.nowMs() };
    opened.set(entry.upstream, entry);
    if (known) replaced.push({ entry: known, sinceMs: deps.nowMs() });
    else if (entries.size >= MOST) dropOldest();
    entries.set(serverId, entry);
    return entry.upstream;
  };

  const dropOldest = (): void => {
    let oldest: Entry | undefined;
    for (const entry of entries.values())
      if (!oldest || entry.usedMs < oldest.usedMs) oldest = entry;
    if (!oldest) return;
    entries.delete(oldest.upstream.serverId);
    oldest.release();
  };

  const sweep = (): void => {
    const now = deps.nowMs();
    for (const [serverId, entry] of entries) {
      if (now - entry.usedMs <= IDLE_MS) continue;
      entries.delete(serverId);
      entry.release();
    }
    for (const { entry, sinceMs } of replaced) if (now - sinceMs > REPLACED_MS) entry.release();
    replaced = replaced.filter(({ sinceMs }) => now - sinceMs <= REPLACED_MS);
  };

  const close = (): void => {
    for (const entry of entries.values()) entry.release();
    for (const { entry } of replaced) entry.release();
    entries.clear();
    replaced = [];
  };

  const credentialsOf = (upstream: McpUpstream) => opened.get(upstream)?.credentials;

  return {
    get,
    authHeaders: async (upstream) => (await credentialsOf(upstream)?.headers()) ?? {},
    refused: (upstream, headers) => credentialsOf(upstream)?.refused(headers) ?? false,
    redactOf: (upstream) => createRedact(credentialsOf(upstream)?.secrets() ?? []),
    sweep,
    close,
  };
}

async function fetchMaterial(
  deps: McpConnectionsDeps,
  serverId: string,
  version: number,
): Promise<McpConnection__Output> {
  let material: McpConnection__Output | undefined;
  try {
    material = await deps.fetch(serverId, version);
  } catch (cause) {
    throw unavailable(cause);
  }
  // Policy learns of the removal in a moment, and refuses with the same code.
  if (!material) throw gatewayError('mcp_access_denied');
  // The reply of a replica that lags behind would be kept for a version that it is not.
  if (material.version < version)
    throw unavailable(new Error('catalog knows an older version only'));
  return material;
}

function unavailable(cause: unknown) {
  const text = "The MCP server's settings are unavailable right now. Retry later.";
  return gatewayError('dependency_unavailable', text, {
    cause,
    details: { dependency: 'catalog' },
  });
}
