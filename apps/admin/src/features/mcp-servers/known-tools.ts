'use client';

import { useQuery } from '@tanstack/react-query';
import type { rest } from '@tollgate/contracts';

import { askMcp } from '../../api/mcp-playground';
import { ApiError } from '../../api/rest-client';
import { useMay } from '../../shell/scope';
import { useServerTest } from './server-test';

export interface KnownTool {
  readonly name: string;
  readonly title: string | null;
}

interface KnownTools {
  /** Undefined: not listed yet. */
  readonly tools: readonly KnownTool[] | undefined;
  readonly busy: boolean;
  readonly error: unknown;
  readonly load: () => void;
}

/** Listed tools stay on hand while forms are opened and closed. */
const KEPT_MS = 30 * 60_000;

/**
 * The tools of a server, listed on request: those of the last connection test for whoever may test it,
 * for others those that the gateway lists with their own grants.
 */
export function useKnownTools(server: rest.McpServer): KnownTools {
  const mayTest = useMay('mcp-servers.write');
  const test = useServerTest(server);
  const own = useOwnTools(server);
  const load = (): void => void (mayTest ? test.refetch() : own.refetch());
  if (!mayTest) {
    return { tools: own.data, busy: own.isFetching, error: own.error ?? undefined, load };
  }
  const { data, error, isFetching } = test;
  const failure =
    data?.error === null || data === undefined
      ? undefined
      : new ApiError(502, 'mcp_test_failed', data.error.message);
  const tools =
    data === undefined || (failure !== undefined && data.tools.length === 0)
      ? undefined
      : data.tools;
  return { tools, busy: isFetching, error: error ?? failure, load };
}

function useOwnTools({ organisationId, id, identifier, connectionVersion }: rest.McpServer) {
  return useQuery({
    queryKey: ['tools through the gateway', id, connectionVersion],
    queryFn: async ({ signal }): Promise<readonly KnownTool[]> => {
      const question = { action: 'tools', server: identifier } as const;
      const answer = await askMcp(organisationId, question, signal);
      if (answer.kind === 'tools') return answer.tools;
      if (answer.kind === 'call') throw new TypeError('a list was asked for');
      const { status, code, message, requestId } = answer;
      throw new ApiError(status ?? 0, code, message, [], requestId ?? undefined);
    },
    enabled: false,
    staleTime: Infinity,
    gcTime: KEPT_MS,
    retry: false,
  });
}
