import { shardOf } from '@tollgate/contracts';
import type { AttemptReport__Output } from '@tollgate/contracts/node';
import type { Logger } from '@tollgate/kit';

import {
  type AttemptedItem,
  type BreakerFigures,
  type Store,
  StoreUnavailableError,
} from '../store';
import type { Changes } from './changes';

export type Verdict = AttemptedItem['verdict'];

export interface ReportsDeps {
  readonly store: Pick<Store, 'attempted'>;
  readonly figures: BreakerFigures;
  readonly changes: Pick<Changes, 'note'>;
  readonly onAttempt: (verdict: Verdict) => void;
  readonly onChange: (state: string) => void;
  readonly log: Logger;
}

/** What edges report of their attempts. */
export interface Reports {
  /** Takes a report, off any request's way. One that is not sound, or one too many, is not taken. */
  readonly take: (report: AttemptReport__Output) => void;
  /** Resolves when everything taken has been worked on. */
  readonly idle: () => Promise<void>;
}

const UNDER_WAY_MAX = 4_096;
const ID_MAX = 64;
const LATENCY_MAX_MS = 86_400_000;

export function createReports(deps: ReportsDeps): Reports {
  const underWay = new Set<Promise<void>>();

  const take: Reports['take'] = (report) => {
    if (!isSound(report) || underWay.size >= UNDER_WAY_MAX) {
      deps.log.debug('a report of an attempt is not taken', { underWay: underWay.size });
      return;
    }
    const work = note(report).finally(() => underWay.delete(work));
    underWay.add(work);
  };

  const note = async (report: AttemptReport__Output): Promise<void> => {
    const { organisationId, providerId, modelId, outcome } = report;
    const verdict = verdictOf(report);
    deps.onAttempt(verdict);
    try {
      const attempted = await deps.store.attempted({
        shard: shardOf(organisationId),
        providerId,
        modelId,
        verdict,
        counted: isSecond(report),
        probe: report.probe,
        waitMs: waitOf(report),
        stream: report.stream,
        latencyUs: latencyOf(report),
        figures: deps.figures,
      });
      if (!attempted.changed) return;
      deps.onChange(attempted.state);
      const { state, attempts, failures, cooldownUntilMs } = attempted;
      deps.log.info('an upstream has changed', { providerId, modelId, state, outcome, failures });
      deps.changes.note({
        organisationId,
        providerId,
        modelId,
        state,
        reason: outcome,
        atMs: attempted.nowMs,
        untilMs: state === 'CLOSED' ? 0 : attempted.untilMs,
        expiresAtMs: state === 'CLOSED' ? 0 : attempted.untilMs + deps.figures.forgetMs,
        cooldownUntilMs,
        attempts,
        failures,
      });
    } catch (error) {
      if (error instanceof StoreUnavailableError) return;
      deps.log.error('a report of an attempt failed', { error });
    }
  };

  return {
    take,
    idle: async () => {
      await Promise.all(underWay);
    },
  };
}

const FAILED: ReadonlySet<string> = new Set([
  'TIMEOUT',
  'NETWORK',
  'EARLY_END',
  'INVALID_RESPONSE',
  'UPSTREAM_ERROR',
  'HTTP_401',
  'HTTP_408',
]);

/** Outcomes that ask for fewer requests, with a wait or without one. */
const LIMITED: ReadonlySet<string> = new Set(['HTTP_429', 'UPSTREAM_LIMITED']);

/**
 * What an attempt says of its upstream. A refusal of the request itself (400, 404, …), whether it comes
 * as a status or as an event of a stream, is an answer like any other; an error event that blames
 * nobody else is a failure, wherever in the stream it comes. What the client broke off says nothing,
 * and neither does what the operator's own limits ended (TOO_LARGE), nor 403, with which some refuse
 * the key and some what a client has written.
 */
export function verdictOf({
  outcome,
  retryAfterMs,
}: Pick<AttemptReport__Output, 'outcome' | 'retryAfterMs'>): Verdict {
  if (outcome === 'OK' || outcome === 'UPSTREAM_REJECTED') return 'SUCCESS';
  if (LIMITED.has(outcome)) return retryAfterMs > 0 ? 'NEITHER' : 'FAILURE';
  if (outcome === 'HTTP_403') return 'NEITHER';
  if (FAILED.has(outcome) || /^HTTP_5\d\d$/.test(outcome)) return 'FAILURE';
  return /^HTTP_[1-4]\d\d$/.test(outcome) ? 'SUCCESS' : 'NEITHER';
}

// Only who limits or is overloaded asks to be left alone.
function waitOf({ outcome, retryAfterMs }: AttemptReport__Output): number {
  return LIMITED.has(outcome) || outcome === 'HTTP_503' ? retryAfterMs : 0;
}

// A stream that failed after its first output has been reported as a success then.
function isSecond({ outcome, firstTokenMs }: AttemptReport__Output): boolean {
  return outcome !== 'OK' && firstTokenMs > 0;
}

function latencyOf(report: AttemptReport__Output): number | undefined {
  if (report.outcome !== 'OK') return undefined;
  const ms = report.stream ? report.firstTokenMs : report.latencyMs;
  return ms > 0 ? Math.min(ms, LATENCY_MAX_MS) * 1_000 : undefined;
}

function isSound(report: AttemptReport__Output): boolean {
  const ids = [report.organisationId, report.providerId, report.modelId];
  const counts = [report.latencyMs, report.firstTokenMs, report.retryAfterMs];
  return (
    ids.every((id) => id.length > 0 && id.length <= ID_MAX && !/[\s{}]/.test(id)) &&
    counts.every((ms) => Number.isSafeInteger(ms) && ms >= 0)
  );
}
