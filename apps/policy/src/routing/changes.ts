import type { ReportRequest, UpstreamChange } from '@tollgate/contracts/node';
import type { Logger } from '@tollgate/kit';

import { createBatchReporter, type Reporting } from '../batch-reporter';

export interface ChangesDeps {
  readonly report: (request: ReportRequest) => Promise<unknown>;
  readonly log: Logger;
}

/**
 * Reports breaker states to the catalog, for people to see. Only the latest change of an upstream
 * waits; a change that the catalog does not take is sent again.
 */
export interface Changes extends Reporting {
  readonly note: (change: UpstreamChange) => void;
}

const LIMITS = { flushMs: 500, retryMs: 5_000, batchMax: 200, waitingMax: 2_000 };

export function createChanges({ report, log }: ChangesDeps): Changes {
  const reporter = createBatchReporter<UpstreamChange>({
    send: (changes) => report({ upstreams: [...changes] }),
    merge: latest,
    onFailure: (error, upstreams) => {
      log.debug('changes of upstreams could not be reported', { upstreams, error });
      return 'retry';
    },
    limits: LIMITS,
  });

  return {
    ...reporter,
    note: (change) => {
      const key = `${change.providerId ?? ''} ${change.modelId ?? ''}`;
      const present = reporter.find(key);
      if (present === undefined || latest(present, change) === change) reporter.add(key, change);
    },
  };
}

// Reports of several edges race, so changes may arrive out of order.
function latest(older: UpstreamChange, newer: UpstreamChange): UpstreamChange {
  return Number(older.atMs) > Number(newer.atMs) ? older : newer;
}
