'use client';

import { useCallback, useEffect, useRef, useState } from 'react';

import { askMcp, type McpAnswer } from '../../../api/mcp-playground';

export interface Call {
  readonly id: number;
  readonly server: string;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly state: 'running' | 'done' | 'stopped';
  readonly answer: McpAnswer | undefined;
}

/** Older results make room for newer ones: each can be several megabytes. */
const KEPT = 10;

/** Calls of tools, newest first: one at a time, which can be stopped. */
export function useCalls(organisationId: string) {
  const [calls, setCalls] = useState<readonly Call[]>([]);
  const running = useRef<AbortController>(undefined);
  const made = useRef(0);
  useEffect(() => () => running.current?.abort(), []);

  const call = useCallback(
    async (asked: Pick<Call, 'server' | 'tool' | 'arguments'>): Promise<void> => {
      const controller = new AbortController();
      running.current = controller;
      made.current += 1;
      const id = made.current;
      const change = (part: Partial<Call>): void =>
        setCalls((all) => all.map((one) => (one.id === id ? { ...one, ...part } : one)));
      setCalls((all) => [
        { id, ...asked, state: 'running' as const, answer: undefined },
        ...all.slice(0, KEPT - 1),
      ]);
      const question = { action: 'call', ...asked } as const;
      try {
        const answer = await askMcp(organisationId, question, controller.signal);
        change({ state: 'done', answer });
      } catch {
        // The only rejection is an abort, by Stop or by leaving the page.
        change({ state: 'stopped' });
      }
    },
    [organisationId],
  );

  return {
    calls,
    busy: calls[0]?.state === 'running',
    call,
    stop: useCallback(() => running.current?.abort(), []),
    clear: useCallback(() => {
      running.current?.abort();
      setCalls([]);
    }, []),
  };
}
