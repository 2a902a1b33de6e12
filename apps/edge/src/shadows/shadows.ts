// The places of shadows: requests that are repeated at a second model, in the background.

import type { Logger } from '@tollgate/kit';

import { createByteBudget, type ByteBudget, type ByteLease } from '../intake';
import { DiscardedReply } from './discarded-reply';

export interface ShadowsDeps {
  /** Limit of shadows that run at once; 0: none does. */
  readonly most: number;
  /** Longest time of one. */
  readonly timeoutMs?: number;
  /** While clients wait for its decisions, nothing of a shadow is asked. */
  readonly policy: { readonly status: () => { readonly waiting: number } };
  readonly log: Logger;
}

/** Room of one shadow: a place among others, and memory for its body. */
export interface ShadowPlace {
  readonly lease: ByteLease;
  readonly reply: DiscardedReply;
}

export interface Shadows {
  /** Buffered answers of shadows; those of clients have room of their own. */
  readonly answers: ByteBudget;
  /** Undefined: there is no room now, or the process ends. */
  readonly claim: (bodyBytes: number) => ShadowPlace | undefined;
  /** Runs `serve`, and gives the place back when it has ended. It is stopped after a time and at the end of the process. */
  readonly run: (place: ShadowPlace, serve: () => Promise<void>) => void;
  readonly status: () => { readonly shadowsRunning: number };
  /** No further shadow begins. */
  readonly drain: () => void;
  /** Stops those that run, as if their clients had left. Resolves when each has handed its settle over. */
  readonly stop: () => Promise<void>;
}

/** A body is kept parsed while the client's answer begins. Larger ones are not repeated. */
export const SHADOW_BODY_BYTES = 256 * 1024;
const ANSWERS_BYTES = 32 * 1024 * 1024;
const TIMEOUT_MS = 300_000;

export function createShadows(deps: ShadowsDeps): Shadows {
  const { log, most, policy, timeoutMs = TIMEOUT_MS } = deps;
  const bodies = createByteBudget({ totalBytes: most * SHADOW_BODY_BYTES });
  const running = new Map<ShadowPlace, Promise<void>>();
  let claimed = 0;
  let draining = false;

  const claim: Shadows['claim'] = (bodyBytes) => {
    if (draining || claimed >= most || policy.status().waiting > 0) return undefined;
    const lease = bodies.open();
    lease.confirm();
    if (!lease.take(bodyBytes)) {
      lease.release();
      return undefined;
    }
    claimed += 1;
    return { lease, reply: new DiscardedReply() };
  };

  const follow = async (place: ShadowPlace, serve: () => Promise<void>): Promise<void> => {
    const timer = setTimeout(() => place.reply.destroy(), timeoutMs);
    timer.unref();
    try {
      await serve();
    } catch (error) {
      log.error('a shadow failed', { error });
    } finally {
      clearTimeout(timer);
      place.lease.release();
      claimed -= 1;
      running.delete(place);
    }
  };

  return {
    answers: createByteBudget({ totalBytes: ANSWERS_BYTES }),
    claim,
    run: (place, serve) => {
      // The first turn of `follow` runs before the place is noted; it never ends within that turn.
      const ended = follow(place, serve);
      running.set(place, ended);
    },
    status: () => ({ shadowsRunning: claimed }),
    drain: () => {
      draining = true;
    },
    stop: async () => {
      draining = true;
      const ends = [...running.values()];
      for (const { reply } of running.keys()) reply.destroy();
      await Promise.all(ends);
    },
  };
}
