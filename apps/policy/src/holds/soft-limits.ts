import type { ReportSoftLimitsRequest, SoftLimitPassed } from '@tollgate/contracts/node';
import type { Logger } from '@tollgate/kit';

import type { CounterState } from '../store';
import type { HeldLimit } from './ticket';

export interface SoftLimitsDeps {
  readonly report: (request: ReportSoftLimitsRequest) => Promise<unknown>;
  /** Once for each request and soft limit that it was let through beyond. */
  readonly onPassed: (limit: Pick<HeldLimit, 'kind' | 'scopeType'>) => void;
  readonly log: Logger;
}

/** An allowed request with the soft limits that it passed. */
export interface Passing {
  readonly organisationId: string;
  readonly limits: readonly HeldLimit[];
  readonly softExceeded: readonly string[];
  readonly states: readonly CounterState[];
  readonly nowMs: number;
}

/**
 * Tells the catalog of soft limits that are passed, once for each window, and never on a request's
 * way. Nothing depends on a report: what is lost (a full queue, the catalog away, this process gone) is
 * reported by the next request that passes the limit, and the catalog knows what it has heard before.
 */
export interface SoftLimits {
  readonly note: (passing: Passing) => void;
  readonly waiting: () => number;
  /** Sends the next batch of what waits; the timer does so by itself. Never rejects. */
  readonly flush: () => Promise<void>;
  /** Sends one batch more, and takes no more from here on. */
  readonly stop: () => Promise<void>;
}

const FLUSH_MS = 1_000;
const BATCH_MAX = 100;
const WAITING_MAX = 1_000;
/** Windows that the catalog has heard of; beyond it the oldest are forgotten, and told once more. */
const TOLD_MAX = 10_000;
const HOUR_MS = 3_600_000;

export function createSoftLimits({ report, onPassed, log }: SoftLimitsDeps): SoftLimits {
  const waiting = new Map<string, SoftLimitPassed>();
  const told = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let last = Promise.resolve();
  let stopped = false;

  const note: SoftLimits['note'] = (passing) => {
    for (const limitId of passing.softExceeded) {
      const limit = passing.limits.find((one) => one.limitId === limitId);
      if (limit === undefined) continue;
      onPassed(limit);
      if (stopped) continue;
      const window = windowOf(limit, passing.nowMs);
      const key = `${limitId}/${String(window.windowStartMs)}`;
      if (told.has(key) || waiting.has(key) || waiting.size >= WAITING_MAX) continue;
      waiting.set(key, passedOf(passing, limit, window));
    }
    arm();
  };

  const arm = (): void => {
    if (stopped || timer !== undefined || waiting.size === 0) return;
    timer = setTimeout(() => {
      timer = undefined;
      void flush().finally(arm);
    }, FLUSH_MS);
    timer.unref();
  };

  // One after the other, so that what is under way is not sent twice.
  const flush: SoftLimits['flush'] = () => {
    last = last.then(send);
    return last;
  };

  const send = async (): Promise<void> => {
    const batch = [...waiting].slice(0, BATCH_MAX);
    if (batch.length === 0) return;
    try {
      await report({ passed: batch.map(([, passed]) => passed) });
      for (const [key] of batch) remember(key);
    } catch (error) {
      log.debug('soft limits could not be reported', { limits: batch.length, error });
    }
    for (const [key] of batch) waiting.delete(key);
  };

  const remember = (key: string): void => {
    told.add(key);
    if (told.size <= TOLD_MAX) return;
    const [oldest] = told;
    if (oldest !== undefined) told.delete(oldest);
  };

  return {
    note,
    waiting: () => waiting.size,
    flush,
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await flush();
    },
  };
}

type Window = Pick<HeldLimit, 'windowStartMs' | 'windowEndMs'>;

// A rate has a minute that slides along: of that, one event an hour is enough for anybody.
function windowOf(limit: HeldLimit, nowMs: number): Window {
  if (limit.windowEndMs > 0) return limit;
  const windowStartMs = Math.floor(nowMs / HOUR_MS) * HOUR_MS;
  return { windowStartMs, windowEndMs: windowStartMs + HOUR_MS };
}

function passedOf(
  { organisationId, states, nowMs }: Passing,
  limit: HeldLimit,
  { windowStartMs, windowEndMs }: Window,
): SoftLimitPassed {
  const state = states.find(({ limitId }) => limitId === limit.limitId);
  return {
    organisationId,
    limitId: limit.limitId,
    kind: limit.kind,
    metric: limit.metric,
    scopeType: limit.scopeType,
    scopeId: limit.scopeId,
    windowStartMs,
    windowEndMs,
    limit: limit.limit.toString(),
    settled: (state?.settled ?? 0n).toString(),
    held: (state?.held ?? 0n).toString(),
    atMs: nowMs,
  };
}
