'use client';

import { useQueryClient } from '@tanstack/react-query';
import { rest } from '@tollgate/contracts';
import { useState } from 'react';

import { useRest } from '../../api/provider';
import { useToast } from '../../design/toast';

type Pins = readonly rest.McpToolPin[];
/** `next` computes the pins from the current ones; `done` is the toast. */
export type ChangePins = (next: (pins: Pins) => rest.McpToolPin[], done: string) => void;

/** Changes the pins of the server as it is at that moment, so that nobody else's pins are lost. */
export function usePins({ organisationId, id: mcpServerId }: rest.McpServer) {
  const client = useRest();
  const queries = useQueryClient();
  const say = useToast();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const run = async (next: (pins: Pins) => rest.McpToolPin[], done: string): Promise<void> => {
    setBusy(true);
    setError(undefined);
    const params = { organisationId, mcpServerId };
    try {
      const { value, etag } = await client.versioned(rest.getMcpServer, { params });
      const body = { pinnedTools: next(value.pinnedTools) };
      await client.call(rest.updateMcpServer, {
        params,
        body,
        ...(etag === undefined ? {} : { ifMatch: etag }),
      });
      await Promise.all(
        [rest.getMcpServer.id, rest.listMcpServers.id].map((endpoint) =>
          queries.invalidateQueries({ queryKey: [endpoint] }),
        ),
      );
      say(done);
    } catch (failure) {
      setError(failure);
    }
    setBusy(false);
  };
  const change: ChangePins = (next, done) => void run(next, done);
  return { busy, error, change };
}
