'use client';

import { useCallback, useEffect, useRef, useState } from 'react';

import { chat, EMPTY_REPLY, type ChatRequest, type Message, type Reply } from './chat';
import type { Image } from './images';

export interface Question {
  readonly text: string;
  readonly images: readonly Image[];
}

export interface Turn {
  readonly id: number;
  readonly question: Question;
  readonly model: string;
  readonly reply: Reply;
  readonly state: 'running' | 'done' | 'stopped';
}

export type Conversation = ReturnType<typeof useConversation>;

/** A conversation with a model: one request at a time, which can be stopped. */
export function useConversation(organisationId: string) {
  const [turns, setTurns] = useState<readonly Turn[]>([]);
  const running = useRef<AbortController>(undefined);
  const asked = useRef(0);
  useEffect(() => () => running.current?.abort(), []);

  const change = useCallback((id: number, changes: Partial<Turn>) => {
    setTurns((all) => all.map((turn) => (turn.id === id ? { ...turn, ...changes } : turn)));
  }, []);

  const ask = useCallback(
    async (request: ChatRequest, question: Question): Promise<void> => {
      const controller = new AbortController();
      running.current = controller;
      asked.current += 1;
      const id = asked.current;
      const { model } = request;
      const turn: Turn = { id, question, model, reply: EMPTY_REPLY, state: 'running' };
      setTurns((all) => [...all, turn]);
      const frames = createFrames((reply: Reply) => change(id, { reply }));
      try {
        await chat(organisationId, request, controller.signal, frames.show);
        change(id, { state: 'done', ...frames.end() });
      } catch {
        // The only rejection is an abort, by Stop or by leaving the page.
        change(id, { state: 'stopped', ...frames.end() });
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

/** Renders once per frame: chunks arrive faster than frames. */
function createFrames(paint: (reply: Reply) => void) {
  let latest: Reply | undefined;
  let frame: number | undefined;
  return {
    show: (reply: Reply): void => {
      latest = reply;
      frame ??= requestAnimationFrame(() => {
        frame = undefined;
        if (latest !== undefined) paint(latest);
      });
    },
    end: (): { readonly reply?: Reply } => {
      if (frame !== undefined) cancelAnimationFrame(frame);
      return latest === undefined ? {} : { reply: latest };
    },
  };
}

/**
 * The messages that are sent again. Turns without a text response are left out, since tool calls
 * are shown and not run.
 */
export function historyOf(turns: readonly Turn[]): Message[] {
  return turns
    .filter(({ reply }) => reply.text !== '')
    .flatMap(({ question, reply }): Message[] => [
      messageOf(question),
      { role: 'assistant', content: reply.text },
    ]);
}

export function messageOf({ text, images }: Question): Message {
  const blocks = images.map(({ url }) => ({ type: 'image_url' as const, image_url: { url } }));
  return {
    role: 'user',
    content: text,
    ...(blocks.length === 0 ? {} : { content_blocks: blocks }),
  };
}
