'use client';

import { useQuery } from '@tanstack/react-query';
import { rest } from '@tollgate/contracts';

import { useRest } from '../../api/provider';

/** The result of a test stays on hand for the pickers of tools. */
const KEPT_MS = 30 * 60_000;

/**
 * The last connection test of a server in this browser, and a way to run one. A change of the connection
 * outdates it.
 */
export function useServerTest(server: rest.McpServer) {
  const client = useRest();
  const { organisationId, id: mcpServerId, connectionVersion } = server;
  return useQuery({
    queryKey: [rest.testMcpServer.id, mcpServerId, connectionVersion],
    queryFn: ({ signal }) =>
      client.call(rest.testMcpServer, { params: { organisationId, mcpServerId }, signal }),
    // Runs only when the user asks for it: the server notices a test.
    enabled: false,
    staleTime: Infinity,
    gcTime: KEPT_MS,
    retry: false,
  });
}
