import type {
  Connection,
  GetConnectionRequest__Output,
  GetMcpConnectionRequest__Output,
  Invalidation,
  McpConnection,
  ResolveKeyReply,
  ResolveKeyRequest__Output,
  ResolveKeysReply,
  ResolveKeysRequest__Output,
  WatchInvalidationsRequest__Output,
} from '@tollgate/contracts/node';
import {
  GrpcFailure,
  grpcStatus,
  serverStream,
  unary,
  type Clock,
  type GrpcHandler,
  type Metrics,
} from '@tollgate/kit';
import type { Pool } from 'pg';

import { grpcAnswer } from '../db';
import type { OutboxWake } from '../outbox';
import { getConnection } from './get-connection';
import { getMcpConnection } from './get-mcp-connection';
import { resolveKey } from './resolve-key';
import { resolveKeys } from './resolve-keys';
import { watchInvalidations } from './watch';

export interface DirectoryDeps {
  pool: Pool;
  wake: OutboxWake;
  metrics: Metrics;
  clock?: Clock;
  heartbeatMs?: number;
}

/** The handlers of `tollgate.catalog.v1.Directory`. */
export function createDirectoryService(deps: DirectoryDeps): Record<string, GrpcHandler> {
  const { pool, metrics } = deps;
  const resolved = metrics.histogram(
    'tollgate_directory_resolve_seconds',
    'Time to answer what keys may do.',
    ['found'],
  );
  const asked = metrics.histogram(
    'tollgate_directory_resolve_keys',
    'Keys that were asked for at once.',
    [],
    [1, 2, 4, 8, 16, 32, 64],
  );
  const watchers = metrics.gauge('tollgate_directory_watchers', 'Open streams of invalidations.');

  return {
    resolveKey: unary<ResolveKeyRequest__Output, ResolveKeyReply>(async ({ keySha256 }) => {
      const started = performance.now();
      const reply = await grpcAnswer(() => resolveKey(pool, keySha256));
      resolved.observe({ found: String(reply.found) }, (performance.now() - started) / 1000);
      return reply;
    }),

    resolveKeys: unary<ResolveKeysRequest__Output, ResolveKeysReply>(async (request) => {
      const started = performance.now();
      const reply = await grpcAnswer(() =>
        resolveKeys(pool, request.keySha256, request.knownDigests),
      );
      const found = reply.keys.some((key) => key.found);
      resolved.observe({ found: String(found) }, (performance.now() - started) / 1000);
      asked.observe({}, request.keySha256.length);
      return reply;
    }),

    getConnection: unary<GetConnectionRequest__Output, Connection>(
      async ({ providerId, version }) => {
        const connection = await grpcAnswer(() => getConnection(pool, providerId, version));
        if (connection !== undefined) return connection;
        throw new GrpcFailure(
          grpcStatus.NOT_FOUND,
          `provider ${providerId} has no connection version ${version}`,
        );
      },
    ),

    getMcpConnection: unary<GetMcpConnectionRequest__Output, McpConnection>(
      async ({ serverId }) => {
        const connection = await grpcAnswer(() => getMcpConnection(pool, serverId));
        if (connection !== undefined) return connection;
        throw new GrpcFailure(grpcStatus.NOT_FOUND, `there is no MCP server ${serverId}`);
      },
    ),

    watchInvalidations: serverStream<WatchInvalidationsRequest__Output, Invalidation>(
      async (call, { draining }) => {
        watchers.inc();
        try {
          await grpcAnswer(() => watchInvalidations(deps, call, draining));
        } finally {
          watchers.dec();
        }
      },
    ),
  };
}
