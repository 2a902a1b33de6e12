// Tracks responses that providers generate in the background. Each hold stays open and its lease is
// renewed until the provider reports an end; then the request is settled like any other. If the end
// stays unknown, the lease expires and policy charges the whole hold.

import type { Logger } from '@tollgate/kit';

import type { BackgroundKeeper, BackgroundResponse } from '../exchange/background-response';
import type { FinalUse } from '../operations/background-use';
import type { Polled } from './poll';

export interface BackgroundKeeperDeps {
  poll: (response: BackgroundResponse) => Promise<Polled>;
  settle: (response: BackgroundResponse, final: FinalUse) => void;
  /** Delay before the first poll; later polls are further apart. */
  pollMs: number;
  /** Limit of responses that are tracked. */
  most: number;
  nowMs: () => number;
  log: Logger;
}

/** Each takes a timer, a hold and a few kilobytes. */
export const BACKGROUND_MOST = 10_000;
const SLOWER = 1.5;
const SLOWEST = 15;
/** Providers give up background work long before this. */
const GIVE_UP_MS = 24 * 3_600_000;

interface Waiting {
  readonly response: BackgroundResponse;
  /** Undefined: the provider is being asked. */
  timer: NodeJS.Timeout | undefined;
}

export function createBackgroundKeeper(deps: BackgroundKeeperDeps): BackgroundKeeper {
  /** By the id of the request. */
  const waiting = new Map<string, Waiting>();
  /** Places of requests that have no response yet. */
  let claimed = 0;
  let stopped = false;

  const keep: BackgroundKeeper['keep'] = (response) => {
    const { hold } = response;
    if (stopped) return void hold.end();
    const kept: Waiting = { response, timer: undefined };
    waiting.set(hold.requestId, kept);
    const startedMs = deps.nowMs();
    const lookAfter = (ms: number): void => {
      kept.timer = setTimeout(() => void look(ms), ms);
      kept.timer.unref();
    };
    const look = async (ms: number): Promise<void> => {
      const polled = await deps.poll(response);
      if (!waiting.has(hold.requestId)) return;
      if (polled.kind === 'ended') return void ended(hold.requestId, polled.final);
      const late = deps.nowMs() - startedMs > GIVE_UP_MS;
      if (polled.kind === 'gone' || late) return leave(response, late ? 'late' : 'gone');
      lookAfter(Math.min(ms * SLOWER, deps.pollMs * SLOWEST));
    };
    lookAfter(deps.pollMs);
  };

  const ended: BackgroundKeeper['ended'] = (requestId, final) => {
    const kept = waiting.get(requestId);
    if (kept === undefined) return false;
    clearTimeout(kept.timer);
    waiting.delete(requestId);
    deps.settle(kept.response, final);
    return true;
  };

  const leave = ({ hold }: BackgroundResponse, reason: string): void => {
    const { requestId } = hold;
    waiting.delete(requestId);
    deps.log.warn('background response charged as held, its end is unknown', {
      requestId,
      reason,
    });
    void hold.end();
  };

  return {
    claim: () => {
      if (stopped || waiting.size + claimed >= deps.most) return undefined;
      claimed += 1;
      return {
        release: () => {
          claimed -= 1;
        },
      };
    },
    keep,
    ended,
    waiting: () => waiting.size,
    stop: () => {
      stopped = true;
      for (const { response, timer } of waiting.values()) {
        clearTimeout(timer);
        void response.hold.end();
      }
      waiting.clear();
    },
  };
}
