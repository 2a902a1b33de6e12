import type { ReportRequest, UpstreamChange } from '@tollgate/contracts/node';
import type { Logger } from '@tollgate/kit';

export interface ChangesDeps {
  readonly report: (request: ReportRequest) => Promise<unknown>;
  readonly log: Logger;
}

/**
 * Tells the catalog how breakers stand, for people to see, and never on a request's way. Of each
 * upstream only the latest change waits; what the catalog does not take is sent again while there is
 * room, and nothing depends on it.
 */
export interface Changes {
  readonly note: (change: UpstreamChange) => void;
  readonly waiting: () => number;
  /** Sends the next batch of what waits; the timer does so by itself. Never rejects. */
  readonly flush: () => Promise<void>;
  /** Sends one batch more, and takes no more from here on. */
  readonly stop: () => Promise<void>;
}

const FLUSH_MS = 500;
const RETRY_MS = 5_000;
const BATCH_MAX = 200;
const WAITING_MAX = 2_000;

export function createChanges({ report, log }: ChangesDeps): Changes {
  const waiting = new Map<string, UpstreamChange>();
  let timer: NodeJS.Timeout | undefined;
  let last = Promise.resolve();
  let stopped = false;
  let failing = false;

  const note: Changes['note'] = (change) => {
    const key = `${change.providerId ?? ''} ${change.modelId ?? ''}`;
    const present = waiting.get(key);
    if (stopped || (present === undefined && waiting.size >= WAITING_MAX)) return;
    if (present !== undefined && Number(present.atMs) > Number(change.atMs)) return;
    waiting.set(key, change);
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
  const flush: Changes['flush'] = () => {
    last = last.then(send);
    return last;
  };

  const send = async (): Promise<void> => {
    const batch = [...waiting].slice(0, BATCH_MAX);
    if (batch.length === 0) return;
    try {
      await report({ upstreams: batch.map(([, change]) => change) });
      failing = false;
    } catch (error) {
      failing = true;
      log.debug('changes of upstreams could not be reported', { upstreams: batch.length, error });
      return;
    }
    for (const [key, change] of batch) {
      if (waiting.get(key) === change) waiting.delete(key);
    }
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
