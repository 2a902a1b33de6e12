// How to reach each server, as the catalog says, cached. A running session needs no catalog, and while
// it is unreachable a cached connection is used however old it is.
import type { McpConnection__Output } from '@tollgate/contracts/node';
import { createBoundedCache, singleFlight, type Logger } from '@tollgate/kit';

import type { Refusal } from '../sessions';
import type { Directory } from './catalog';

export interface Connections {
  /** The current connection, at least of this version. */
  readonly get: (serverId: string, version: number) => Promise<McpConnection__Output | Refusal>;
}

interface Cached {
  readonly connection: McpConnection__Output;
  readonly readMs: number;
}

const MAX_CACHED = 1_024;
/** A server that was disabled starts no session after this age. */
const FRESH_MS = 5_000;

const AWAY: Refusal = {
  status: 503,
  code: 'catalog_unavailable',
  message: "The MCP server's settings are unavailable right now. Retry later.",
  retryAfterMs: 1_000,
};
const UNKNOWN: Refusal = {
  status: 502,
  code: 'server_refused',
  message: 'The runner knows no active MCP server with this id.',
};

export function createConnections(
  directory: Pick<Directory, 'getMcpConnection'>,
  nowMs: () => number,
  log: Logger,
): Connections {
  const cache = createBoundedCache<string, Cached>({ max: MAX_CACHED });
  const flight = singleFlight<McpConnection__Output | Refusal>();

  const read = async (
    serverId: string,
    version: number,
  ): Promise<McpConnection__Output | Refusal> => {
    let connection: McpConnection__Output | undefined;
    try {
      connection = await directory.getMcpConnection(serverId, version);
    } catch (error) {
      log.warn('the catalog cannot be asked for an MCP server', { serverId, error });
      const known = cache.get(serverId)?.connection;
      return known !== undefined && known.version >= version ? known : AWAY;
    }
    if (connection === undefined) {
      cache.delete(serverId);
      return UNKNOWN;
    }
    // A replica of the database may be behind.
    if (connection.version < version) return AWAY;
    cache.set(serverId, { connection, readMs: nowMs() });
    return connection;
  };

  return {
    get: async (serverId, version) => {
      const known = cache.get(serverId);
      const fresh = known !== undefined && nowMs() - known.readMs < FRESH_MS;
      if (fresh && known.connection.version >= version) return known.connection;
      return flight(`${serverId}:${version}`, () => read(serverId, version));
    },
  };
}
