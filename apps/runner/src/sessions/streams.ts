// The event streams of one session: who reads which, and what a client may still ask for.
import type { ServerResponse } from 'node:http';

import { createEventStore } from './event-store';
import type { Pressure } from './pressure';
import type { Refusal } from './refusal';
import { createReply, type Reply } from './reply';

export interface Streams {
  /** The client of this response reads the stream from now on; an earlier reader's response ends. */
  readonly attach: (stream: number, response: ServerResponse, silenceMs: number) => Reply;
  /** `last`: the stream ends with this text. */
  readonly deliver: (stream: number, text: string, last: boolean) => void;
  /** Continues the stream of an event id. Undefined: no event has this id. */
  readonly resume: (
    lastEventId: string,
    response: ServerResponse,
    isOpen: (stream: number) => boolean,
  ) => number | undefined;
  readonly end: (stream: number) => void;
  /** Ends a stream with what the runner itself says. */
  readonly refuse: (stream: number, text: string, refused: Refusal) => void;
  /** Ends every stream, with this text where there is one. */
  readonly endAll: (lastText: (stream: number) => string | undefined, refused: Refusal) => void;
  readonly readers: () => number;
}

/** `primed`: whether a stream begins with an event without data, to resume from. */
export function createStreams(primed: () => boolean, pressure: Pressure): Streams {
  const events = createEventStore();
  const replies = new Map<number, Reply>();

  const attach: Streams['attach'] = (stream, response, silenceMs) => {
    replies.get(stream)?.end();
    const reply = createReply(response, {
      pressure,
      silenceMs,
      prime: () => (primed() ? events.store(stream, '') : undefined),
      // The request goes on: leaving is no cancel, and the stream can be resumed.
      gone: () => {
        if (replies.get(stream) === reply) replies.delete(stream);
      },
    });
    replies.set(stream, reply);
    return reply;
  };
  const end: Streams['end'] = (stream) => {
    const reply = replies.get(stream);
    replies.delete(stream);
    reply?.end();
  };

  return {
    attach,
    deliver: (stream, text, last) => {
      const event = events.store(stream, text);
      const reply = replies.get(stream);
      if (!last) return reply?.event(event);
      replies.delete(stream);
      reply?.finish(event);
    },
    resume: (lastEventId, response, isOpen) => {
      const found = events.after(lastEventId);
      if (found === undefined) return undefined;
      const reply = attach(found.stream, response, 0);
      for (const event of found.events) reply.event(event);
      // The response is among the events.
      if (!isOpen(found.stream)) end(found.stream);
      return found.stream;
    },
    end,
    refuse: (stream, text, refused) => {
      const reply = replies.get(stream);
      replies.delete(stream);
      reply?.finish({ text }, { status: refused.status, refused });
    },
    endAll: (lastText, refused) => {
      for (const [stream, reply] of replies) {
        const text = lastText(stream);
        if (text === undefined) reply.end();
        else reply.finish({ text }, { status: refused.status, refused });
      }
      replies.clear();
    },
    readers: () => replies.size,
  };
}
