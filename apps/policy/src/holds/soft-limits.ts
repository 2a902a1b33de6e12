import type { ReportSoftLimitsRequest, SoftLimitPassed } from '@tollgate/contracts/node';
import type { Logger } from '@tollgate/kit';

import { createBatchReporter, type Reporting } from '../batch-reporter';
import type { CounterState } from '../store';
import type { HeldLimit } from './ticket';

export interface SoftLimitsDeps {
  readonly report: (request: ReportSoftLimitsRequest) => Promise<unknown>;
  /** Called once per request and exceeded soft limit. */
  readonly onPassed: (limit: Pick<HeldLimit, 'kind' | 'scopeType'>) => void;
  readonly log: Logger;
}

/** An allowed request with the soft limits that it exceeds. */
export interface Passing {
  readonly organisationId: string;
  readonly requestId: string;
  readonly limits: readonly HeldLimit[];
  readonly softExceeded: readonly string[];
  readonly states: readonly CounterState[];
  readonly nowMs: number;
}

/**
 * Reports exceeded soft limits to the catalog, once per window. A lost report (full queue, catalog
 * unreachable, process gone) is repeated by the next request that exceeds the limit; the catalog
 * ignores duplicates.
 */
export interface SoftLimits extends Reporting {
  readonly note: (passing: Passing) => void;
}

const LIMITS = { flushMs: 1_000, batchMax: 100, waitingMax: 1_000 };
/** Windows that the catalog knows; beyond it the oldest are forgotten and reported again. */
const TOLD_MAX = 10_000;
const HOUR_MS = 3_600_000;

export function createSoftLimits({ report, onPassed, log }: SoftLimitsDeps): SoftLimits {
  const told = new Set<string>();
  const reporter = createBatchReporter<SoftLimitPassed>({
    send: (passed) => report({ passed: [...passed] }),
    merge: (older) => older,
    onFailure: (error, limits) => {
      log.debug('soft limits could not be reported', { limits, error });
      return 'drop';
    },
    onSent: (keys) => {
      for (const key of keys) remember(key);
    },
    limits: LIMITS,
  });

  const remember = (key: string): void => {
    told.add(key);
    if (told.size <= TOLD_MAX) return;
    const [oldest] = told;
    if (oldest !== undefined) told.delete(oldest);
  };

  return {
    ...reporter,
    note: (passing) => {
      for (const limitId of passing.softExceeded) {
        const limit = passing.limits.find((one) => one.limitId === limitId);
        if (limit === undefined) continue;
        onPassed(limit);
        const window = windowOf(limit, passing.nowMs);
        // Each value is told once in its window; the catalog bounds how many of a limit are.
        const key = `${limitId}/${String(window.windowStartMs)}`;
        if (told.has(key) || reporter.find(key) !== undefined) continue;
        reporter.add(key, passedOf(passing, limit, window));
      }
    },
  };
}

type Window = Pick<HeldLimit, 'windowStartMs' | 'windowEndMs'>;

// A rate's minute slides, so one event per hour is reported.
function windowOf(limit: HeldLimit, nowMs: number): Window {
  if (limit.windowEndMs > 0) return limit;
  const windowStartMs = Math.floor(nowMs / HOUR_MS) * HOUR_MS;
  return { windowStartMs, windowEndMs: windowStartMs + HOUR_MS };
}

function passedOf(
  { organisationId, requestId, states, nowMs }: Passing,
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
    // Its record names the value that the limit counted.
    requestId,
  };
}
