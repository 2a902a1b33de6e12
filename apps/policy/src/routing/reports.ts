import { AFFINITY_BYTES, shardOf } from '@tollgate/contracts';
import type { AttemptReport__Output } from '@tollgate/contracts/node';
import type { Logger } from '@tollgate/kit';

import {
  StoreUnavailableError,
  type AttemptedItem,
  type BreakerFigures,
  type Store,
} from '../store';
import type { Changes } from './changes';
import { MOVED_MAX } from './moved';

export type Verdict = AttemptedItem['verdict'];

export interface ReportsDeps {
  readonly store: Pick<Store, 'attempted'>;
  readonly figures: BreakerFigures;
  /** How long after its last turn a moved conversation is remembered. */
  readonly movedMs: number;
  readonly changes: Pick<Changes, 'note'>;
  readonly onAttempt: (verdict: Verdict) => void;
  readonly onChange: (state: string) => void;
  readonly log: Logger;
}

/** Attempts that edges report. */
export interface Reports {
  /** Takes a report in the background. Invalid and surplus reports are dropped. */
  readonly take: (report: AttemptReport__Output) => void;
  /** Resolves when every taken report is processed. */
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
        moves: movedBy(report, deps.movedMs),
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
  'HTTP_402',
  'HTTP_408',
]);

/** Outcomes that ask for fewer requests, with a wait or without one. */
const LIMITED: ReadonlySet<string> = new Set(['HTTP_429', 'UPSTREAM_LIMITED']);

/**
 * What an attempt says about its upstream. A rejected request (400, 404, …), as a status or as an
 * event of a stream, counts as a success. An error event without another cause is a failure,
 * wherever in the stream it comes. No verdict: attempts that the client aborted, that the
 * operator's limits ended (TOO_LARGE), and 403, which some providers use for a bad key and some for
 * bad content.
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

// Only rate limits and overload set a cooldown.
function waitOf({ outcome, retryAfterMs }: AttemptReport__Output): number {
  return LIMITED.has(outcome) || outcome === 'HTTP_503' ? retryAfterMs : 0;
}

// A stream that failed after its first output was already reported as a success.
function isSecond({ outcome, firstTokenMs }: AttemptReport__Output): boolean {
  return outcome !== 'OK' && firstTokenMs > 0;
}

function movedBy(
  { affinity: id, apiKeyId, outcome, policyId }: AttemptReport__Output,
  movedMs: number,
): AttemptedItem['moves'] {
  if (id.length === 0) return undefined;
  // A candidate that rejected the request is no place to stay at.
  const keptMs = outcome === 'OK' ? movedMs : 0;
  return { id, keptMs, most: MOVED_MAX, apiKeyId, policyId };
}

function latencyOf(report: AttemptReport__Output): number | undefined {
  if (report.outcome !== 'OK') return undefined;
  const ms = report.stream ? report.firstTokenMs : report.latencyMs;
  return ms > 0 ? Math.min(ms, LATENCY_MAX_MS) * 1_000 : undefined;
}

function isSound(report: AttemptReport__Output): boolean {
  const ids = [report.organisationId, report.providerId, report.modelId];
  const counts = [report.latencyMs, report.firstTokenMs, report.retryAfterMs];
  const { affinity } = report;
  if (affinity.length > 0) {
    if (affinity.length !== AFFINITY_BYTES) return false;
    ids.push(report.apiKeyId, report.policyId);
  }
  return (
    ids.every((id) => id.length > 0 && id.length <= ID_MAX && !/[\s{}]/.test(id)) &&
    counts.every((ms) => Number.isSafeInteger(ms) && ms >= 0)
  );
}
