import type { ErrorCode } from '@tollgate/contracts';
import type { Denial, KeyRefusals, ReportRequest } from '@tollgate/contracts/node';
import type { Clock, Logger } from '@tollgate/kit';

import { UnbookableError } from '../ledger';

export interface RefusalsDeps {
  readonly report: (request: ReportRequest) => Promise<unknown>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** What was asked for: its request id, and the model as the client named it (empty: not known). */
export interface Asked {
  readonly requestId: string;
  readonly model: string;
}

/**
 * Tells the catalog what keys are refused for, for people to see, and never on a request's way: there
 * a refusal is one entry of a map, however many come to the same. A flood costs the catalog one batch
 * in an interval. Nothing depends on a report: one that is lost is a lost statistic, one whose answer
 * is lost is counted twice. Of keys that do not exist nothing is kept.
 */
export interface Refusals {
  readonly note: (asked: Asked, denial: Denial) => void;
  readonly waiting: () => number;
  /** Sends the next batch of what waits; the timer does so by itself. Never rejects. */
  readonly flush: () => Promise<void>;
  /** Sends one batch more, and takes no more from here on. */
  readonly stop: () => Promise<void>;
}

const FLUSH_MS = 1_000;
const RETRY_MS = 5_000;
/** Rows in one report; each is one row of the catalog's. */
const BATCH_MAX = 200;
/** Beyond it refusals of another kind are not noted until there is room. */
const WAITING_MAX = 2_000;
const TEXT_MAX = 1_000;
const MODEL_MAX = 200;

/** Refused whatever the model, or for one that does not exist: a name that anybody can make up. */
const NOT_OF_A_MODEL: ReadonlySet<string> = new Set<ErrorCode>([
  'invalid_api_key',
  'invalid_request',
  'model_not_found',
]);

/** Refusals that came to the same since the last report, with the newest of them. */
interface Sum {
  readonly about: string;
  count: number;
  readonly firstAtMs: number;
  lastAtMs: number;
  requestId: string;
  model: string;
  denial: Denial;
}

export function createRefusals({ report, clock, log }: RefusalsDeps): Refusals {
  const waiting = new Map<string, Sum>();
  let timer: NodeJS.Timeout | undefined;
  let last = Promise.resolve();
  let stopped = false;
  let failing = false;

  const note: Refusals['note'] = ({ requestId, model }, denial) => {
    const apiKeyId = denial.subject?.apiKeyId ?? '';
    if (stopped || apiKeyId === '') return;
    const about = aboutOf(denial, model);
    const key = `${apiKeyId} ${denial.code ?? ''} ${about}`;
    const lastAtMs = clock.now();
    const sum = waiting.get(key);
    if (sum !== undefined) {
      sum.count += 1;
      sum.lastAtMs = lastAtMs;
      sum.requestId = requestId;
      sum.denial = denial;
      if (model !== '') sum.model = model;
      return;
    }
    if (waiting.size >= WAITING_MAX) return;
    waiting.set(key, { about, count: 1, firstAtMs: lastAtMs, lastAtMs, requestId, model, denial });
    arm();
  };

  const arm = (): void => {
    if (stopped || timer !== undefined || waiting.size === 0) return;
    timer = setTimeout(
      () => {
        timer = undefined;
        void flush().finally(arm);
      },
      failing ? RETRY_MS : FLUSH_MS,
    );
    timer.unref();
  };

  // One after the other, so that what is under way is not sent twice.
  const flush: Refusals['flush'] = () => {
    last = last.then(send);
    return last;
  };

  const send = async (): Promise<void> => {
    const batch = [...waiting].slice(0, BATCH_MAX);
    if (batch.length === 0) return;
    for (const [key] of batch) waiting.delete(key);
    try {
      await report({ refusals: batch.map(([, sum]) => messageOf(sum)) });
      failing = false;
    } catch (error) {
      if (error instanceof UnbookableError && error.certain) {
        log.warn('refusals were not taken', { refusals: batch.length, error });
        return;
      }
      failing = true;
      log.debug('refusals could not be reported', { refusals: batch.length, error });
      for (const [key, sum] of batch) putBack(key, sum);
    }
  };

  // What was noted meanwhile is the newer part of the sum.
  const putBack = (key: string, sum: Sum): void => {
    const newer = waiting.get(key);
    if (newer === undefined && waiting.size >= WAITING_MAX) return;
    const whole =
      newer === undefined
        ? sum
        : { ...newer, count: newer.count + sum.count, firstAtMs: sum.firstAtMs };
    waiting.set(key, whole);
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

// Few for any key: its limits, and the models of its organisation by the names they have.
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
  const { subject, code, reason, limits, limitId } = denial;
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
  };
}
