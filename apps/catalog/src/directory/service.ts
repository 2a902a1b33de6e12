import type {
  Connection,
  GetConnectionRequest__Output,
  GetMcpConnectionRequest__Output,
  GetMcpSignInRequest__Output,
  GetScreeningPolicyRequest__Output,
  Invalidation,
  McpConnection,
  McpSignIn,
  ResolveKeyReply,
  ResolveKeyRequest__Output,
  ResolveKeysReply,
  ResolveKeysRequest__Output,
  ScreeningPolicy,
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
import { getMcpSignIn } from './get-mcp-sign-in';
import { getScreeningPolicy } from './get-screening-policy';
import { resolveKey } from './resolve-key';
import { resolveKeys } from './resolve-keys';
import { watchInvalidations } from './watch';

export interface DirectoryDeps {
  pool: Pool;
  wake: OutboxWake;
  metrics: Metrics;
  clock?: Clock;
  heartbeatMs?: number;
  /** Whether the installation keeps bodies of requests; default true. */
  bodiesAllowed?: boolean;
}

/** The handlers of `tollgate.catalog.v1.Directory`. */
export function createDirectoryService(deps: DirectoryDeps): Record<string, GrpcHandler> {
  const { bodiesAllowed = true, pool, metrics } = deps;
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
      const reply = await grpcAnswer(() => resolveKey(pool, keySha256, bodiesAllowed));
      resolved.observe({ found: String(reply.found) }, (performance.now() - started) / 1000);
      return reply;
    }),

    resolveKeys: unary<ResolveKeysRequest__Output, ResolveKeysReply>(async (request) => {
      const started = performance.now();
      const options = { ...request, bodiesAllowed };
      const reply = await grpcAnswer(() => resolveKeys(pool, request.keySha256, options));
      const found = reply.keys.some((key) => key.found);
      resolved.observe({ found: String(found) }, (performance.now() - started) / 1000);
      asked.observe({}, request.keySha256.length);
      return reply;
    }),

    getConnection: unary<GetConnectionRequest__Output, Connection>(({ providerId, version }) =>
      present(
        () => getConnection(pool, providerId, version),
        `provider ${providerId} has no connection version ${version}`,
      ),
    ),

    getMcpConnection: unary<GetMcpConnectionRequest__Output, McpConnection>(({ serverId }) =>
      present(() => getMcpConnection(pool, serverId), `there is no MCP server ${serverId}`),
    ),

    getMcpSignIn: unary<GetMcpSignInRequest__Output, McpSignIn>(({ organisation }) =>
      present(() => getMcpSignIn(pool, organisation), 'the organisation accepts no tokens'),
    ),

    getScreeningPolicy: unary<GetScreeningPolicyRequest__Output, ScreeningPolicy>(
      ({ policyId, version }) =>
        present(
          () => getScreeningPolicy(pool, policyId, version),
          `screening policy ${policyId} has no version ${version}`,
        ),
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

async function present<T>(find: () => Promise<T | undefined>, message: string): Promise<T> {
  const found = await grpcAnswer(find);
  if (found !== undefined) return found;
  throw new GrpcFailure(grpcStatus.NOT_FOUND, message);
}
