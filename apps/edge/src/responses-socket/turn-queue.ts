import { gatewayError } from '@tollgate/contracts';

import type { Message } from './received-turn';

export interface TurnQueue {
  working: () => boolean;
  /** @throws GatewayError `rate_limit_exceeded` if another message waits already */
  checkRoom: () => void;
  push: (message: Message) => void;
  /** Drops what waits. */
  clear: () => void;
}

export interface TurnQueueOptions {
  /** Answers one message. Never rejects. */
  answer: (message: Message) => Promise<void>;
  onBusy: () => void;
  onIdle: () => void;
}

/** Messages that may wait while a response runs. */
const WAITING_MOST = 1;
const RETRY_AFTER_MS = 1_000;

/** The messages of a connection, answered one after another in their order. */
export function createTurnQueue({ answer, onBusy, onIdle }: TurnQueueOptions): TurnQueue {
  const waiting: Message[] = [];
  let working = false;

  const work = async (): Promise<void> => {
    working = true;
    onBusy();
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      await answer(next);
      next.lease.release();
    }
    working = false;
    onIdle();
  };

  return {
    working: () => working,
    checkRoom: () => {
      if (!working || waiting.length < WAITING_MOST) return;
      const text =
        'One response runs on this connection, and another message waits. Wait for the end of the response, or open another connection.';
      throw gatewayError('rate_limit_exceeded', text, { retryAfterMs: RETRY_AFTER_MS });
    },
    push: (message) => {
      waiting.push(message);
      if (!working) void work();
    },
    clear: () => {
      for (const { lease } of waiting.splice(0)) lease.release();
    },
  };
}
