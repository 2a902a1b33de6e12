import type { RefusedSum, ReportRefusedRequest } from '@tollgate/contracts/node';
import type { Logger } from '@tollgate/kit';

import { createCauseSums, type CauseSums } from './cause-sums';

export interface RefusedReporterDeps {
  readonly report: (request: ReportRefusedRequest) => Promise<unknown>;
  readonly log: Logger;
  readonly flushMs?: number;
}

/**
 * Reports refused and failed requests to the catalog, summed up, every few seconds. A lost report
 * is a lost statistic; so is what is noted while the catalog is away for longer than one report.
 */
export interface RefusedReporter extends Pick<CauseSums, 'note'> {
  /** Reports what is left. Never rejects. */
  readonly stop: () => Promise<void>;
}

const FLUSH_MS = 2_000;
/** Rows of one report; the catalog takes 500. */
const BATCH_MAX = 400;
const LIMITS = { knownMost: 600, unknownMost: 150 };

export function createRefusedReporter(deps: RefusedReporterDeps): RefusedReporter {
  const { report, log, flushMs = FLUSH_MS } = deps;
  const sums = createCauseSums(LIMITS);
  let unsent: RefusedSum[] = [];
  let running: Promise<void> | undefined;

  const flush = async (): Promise<void> => {
    if (unsent.length === 0) unsent = sums.take();
    while (unsent.length > 0) {
      await report({ sums: unsent.slice(0, BATCH_MAX) });
      unsent = unsent.slice(BATCH_MAX);
    }
  };

  // One report at a time: while the catalog is slow, sums grow in their bounded room.
  const flushOnce = (): Promise<void> => {
    running ??= flush()
      .catch((error: unknown) => {
        log.debug('refused requests could not be reported', { causes: unsent.length, error });
      })
      .finally(() => {
        running = undefined;
      });
    return running;
  };

  const timer = setInterval(() => void flushOnce(), flushMs);
  timer.unref();
  return {
    note: sums.note,
    stop: async () => {
      clearInterval(timer);
      await running;
      await flushOnce();
      if (unsent.length === 0) await flushOnce();
    },
  };
}
