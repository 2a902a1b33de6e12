'use client';

import { useCallback, useEffect, useRef, useState } from 'react';
import { chat, EMPTY_REPLY, type ChatRequest, type Message, type Reply } from './chat';

export type Turn = {
  readonly id: number;
  readonly question: string;
  readonly model: string;
  readonly reply: Reply;
  readonly state: 'running' | 'done' | 'stopped';
};

/** A conversation with a model: one question at a time, which can be stopped. */
export function useConversation(organisationId: string) {
  const [turns, setTurns] = useState<readonly Turn[]>([]);
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  const change = useCallback((id: number, changes: Partial<Turn>) => {
    setTurns((all) => all.map((turn) => (turn.id === id ? { ...turn, ...changes } : turn)));
  }, []);

  const ask = useCallback(
    async (request: ChatRequest, question: string): Promise<void> => {
      const controller = new AbortController();
      running.current = controller;
      const id = Date.now();
      const turn: Turn = {
        id,
        question,
        model: request.model,
        reply: EMPTY_REPLY,
        state: 'running',
      };
      setTurns((all) => [...all, turn]);
      try {
        await chat(organisationId, request, controller.signal, (reply) => change(id, { reply }));
        change(id, { state: 'done' });
      } catch {
        // The only rejection is an abort: stopped, or the page was left.
        change(id, { state: 'stopped' });
      }
    },
    [organisationId, change],
  );

  return {
    turns,
    busy: turns.at(-1)?.state === 'running',
    ask,
    stop: useCallback(() => running.current?.abort(), []),
    clear: useCallback(() => {
      running.current?.abort();
      setTurns([]);
    }, []),
  };
}

/** What the model has to know of a conversation: questions that got no answer are left out. */
export function historyOf(turns: readonly Turn[]): Message[] {
  return turns
    .filter(({ reply }) => reply.text !== '')
    .flatMap(({ question, reply }): Message[] => [
      { role: 'user', content: question },
      { role: 'assistant', content: reply.text },
    ]);
}
