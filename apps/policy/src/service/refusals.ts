import type { ErrorCode } from '@tollgate/contracts';
import type { Denial, KeyRefusals, ReportRequest } from '@tollgate/contracts/node';
import type { Clock, Logger } from '@tollgate/kit';

import { createBatchReporter, type Reporting } from '../batch-reporter';
import { UnbookableError } from '../ledger';

export interface RefusalsDeps {
  readonly report: (request: ReportRequest) => Promise<unknown>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The request id, and the model as the client named it (empty: unknown). */
export interface Asked {
  readonly requestId: string;
  readonly model: string;
}

/**
 * Reports to the catalog what keys are refused for, summed up: a flood costs one map entry and one
 * row of a batch. A lost report is a lost statistic; a report whose reply is lost counts twice.
 * Keys that do not exist are not recorded.
 */
export interface Refusals extends Reporting {
  readonly note: (asked: Asked, denial: Denial) => void;
}

// Each item of a report is one row at the catalog.
const LIMITS = { flushMs: 1_000, retryMs: 5_000, batchMax: 200, waitingMax: 2_000 };
const TEXT_MAX = 1_000;
const MODEL_MAX = 200;

/** Refusals that do not depend on the model, or name something that may not exist. */
const NOT_OF_A_MODEL: ReadonlySet<string> = new Set<ErrorCode>([
  'invalid_api_key',
  'invalid_request',
  'mcp_access_denied',
  'model_not_found',
  'passthrough_denied',
]);

/** Refusals of one key for one reason since the last report, with the newest of them. */
interface Sum {
  readonly about: string;
  readonly count: number;
  readonly firstAtMs: number;
  readonly lastAtMs: number;
  readonly requestId: string;
  readonly model: string;
  readonly denial: Denial;
}

export function createRefusals({ report, clock, log }: RefusalsDeps): Refusals {
  const reporter = createBatchReporter<Sum>({
    send: (sums) => report({ refusals: sums.map(messageOf) }),
    merge: (older, newer) => ({
      ...newer,
      count: older.count + newer.count,
      firstAtMs: older.firstAtMs,
      model: newer.model || older.model,
    }),
    onFailure: (error, refusals) => {
      if (error instanceof UnbookableError && error.certain) {
        log.warn('refusals were not taken', { refusals, error });
        return 'drop';
      }
      log.debug('refusals could not be reported', { refusals, error });
      return 'retry';
    },
    limits: LIMITS,
  });

  return {
    ...reporter,
    note: ({ requestId, model }, denial) => {
      const apiKeyId = denial.subject?.apiKeyId ?? '';
      if (apiKeyId === '') return;
      const about = aboutOf(denial, model);
      const key = `${apiKeyId} ${denial.code ?? ''} ${about}`;
      const atMs = clock.now();
      const sum = { about, count: 1, firstAtMs: atMs, lastAtMs: atMs, requestId, model, denial };
      reporter.add(key, sum);
    },
  };
}

// Few values per key: its limits, and its organisation's models by name.
function aboutOf({ limitId, code }: Denial, model: string): string {
  if (limitId !== undefined && limitId !== '') return limitId;
  return NOT_OF_A_MODEL.has(code ?? '') ? '' : model.slice(0, MODEL_MAX);
}

function messageOf({
  about,
  count,
  firstAtMs,
  lastAtMs,
  requestId,
  model,
  denial,
}: Sum): KeyRefusals {
  const { subject, code, reason, limits, limitId, detailsJson } = denial;
  return {
    organisationId: subject?.organisationId ?? '',
    apiKeyId: subject?.apiKeyId ?? '',
    code: code ?? '',
    about,
    reason: reason ?? '',
    count,
    firstAtMs,
    lastAtMs,
    requestId,
    model: model.slice(0, MODEL_MAX),
    message: (denial.message ?? '').slice(0, TEXT_MAX),
    limit: limits?.find((limit) => limit.limitId !== '' && limit.limitId === limitId) ?? null,
    detailsJson: limitId === undefined || limitId === '' ? '' : (detailsJson ?? ''),
  };
}
