// Reports to the catalog that no request waits for: collected by key and sent in batches. Nothing
// depends on them, so every queue is bounded and surplus items are dropped.

export interface BatchReporterDeps<T> {
  /** Rejects when the batch was not taken. */
  readonly send: (items: readonly T[]) => Promise<unknown>;
  /** Combines two items of one key that wait. */
  readonly merge: (older: T, newer: T) => T;
  /** Whether a failed batch is sent again. */
  readonly onFailure: (error: unknown, count: number) => 'retry' | 'drop';
  readonly onSent?: (keys: readonly string[]) => void;
  /** Items that are not sent: there was no room, or their batch failed for good. */
  readonly onDropped?: (keys: readonly string[]) => void;
  readonly limits: BatchLimits;
}

export interface BatchLimits {
  readonly flushMs: number;
  /** The pause before a failed batch is sent again. Default: flushMs. */
  readonly retryMs?: number;
  readonly batchMax: number;
  /** Keys that wait or are being sent; beyond it items of new keys are dropped. */
  readonly waitingMax: number;
}

/** Shared by all reporters; what they take differs. */
export interface Reporting {
  readonly waiting: () => number;
  /** Sends the next batch; the timer calls it too. Never rejects. */
  readonly flush: () => Promise<void>;
  /** Sends one more batch; later items are dropped. */
  readonly stop: () => Promise<void>;
}

export interface BatchReporter<T> extends Reporting {
  /** The newest item of a key that waits or is being sent. */
  readonly find: (key: string) => T | undefined;
  readonly add: (key: string, item: T) => void;
}

export function createBatchReporter<T>(deps: BatchReporterDeps<T>): BatchReporter<T> {
  const { flushMs, retryMs = flushMs, batchMax, waitingMax } = deps.limits;
  const waiting = new Map<string, T>();
  let sending: ReadonlyMap<string, T> = new Map();
  let timer: NodeJS.Timeout | undefined;
  let last = Promise.resolve();
  let stopped = false;
  let failing = false;
  /** The last batch was full and went well: more may wait than a batch for each interval takes. */
  let full = false;

  const find = (key: string): T | undefined => waiting.get(key) ?? sending.get(key);
  const size = (): number => waiting.size + sending.size;

  const add = (key: string, item: T): void => {
    if (stopped) return;
    if (find(key) === undefined && size() >= waitingMax) {
      deps.onDropped?.([key]);
      return;
    }
    const present = waiting.get(key);
    waiting.set(key, present === undefined ? item : deps.merge(present, item));
    arm();
  };

  const arm = (): void => {
    if (stopped || timer !== undefined || waiting.size === 0) return;
    timer = setTimeout(
      () => {
        timer = undefined;
        void flush().finally(arm);
      },
      failing ? retryMs : full ? 0 : flushMs,
    );
    timer.unref();
  };

  // One batch at a time: an item is never sent twice concurrently.
  const flush = (): Promise<void> => {
    last = last.then(sendNext);
    return last;
  };

  const sendNext = async (): Promise<void> => {
    const batch = new Map([...waiting].slice(0, batchMax));
    if (batch.size === 0) return;
    for (const key of batch.keys()) waiting.delete(key);
    sending = batch;
    try {
      await deps.send([...batch.values()]);
      failing = false;
      full = batch.size === batchMax;
      deps.onSent?.([...batch.keys()]);
    } catch (error) {
      full = false;
      if (deps.onFailure(error, batch.size) === 'drop') {
        deps.onDropped?.([...batch.keys()]);
        return;
      }
      failing = true;
      putBack(waiting, batch, deps.merge);
    } finally {
      sending = new Map();
    }
  };

  return {
    find,
    add,
    waiting: size,
    flush,
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await flush();
    },
  };
}

/** What came meanwhile is newer than what was not sent. */
function putBack<T>(
  waiting: Map<string, T>,
  batch: ReadonlyMap<string, T>,
  merge: BatchReporterDeps<T>['merge'],
): void {
  for (const [key, older] of batch) {
    const newer = waiting.get(key);
    waiting.set(key, newer === undefined ? older : merge(older, newer));
  }
}
