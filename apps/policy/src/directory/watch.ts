import type { Invalidation__Output } from '@tollgate/contracts/node';
import type { Logger } from '@tollgate/kit';

/** One open call of WatchInvalidations. */
export interface InvalidationStream {
  readonly on: ((event: 'data', listener: (row: Invalidation__Output) => void) => unknown) &
    ((event: 'error', listener: (error: Error) => void) => unknown) &
    ((event: 'end', listener: () => void) => unknown);
  readonly cancel: () => void;
}

export interface WatchDeps {
  /** Opens the stream after `fromSeq`; 0 starts with the next change. */
  readonly open: (fromSeq: number) => InvalidationStream;
  readonly onChange: (row: Invalidation__Output) => void;
  /** Changes may have been missed: the whole cache is invalid. */
  readonly onGap: () => void;
  readonly onConnected: (connected: boolean) => void;
  /** Every change so far has been received. */
  readonly onCaughtUp: () => void;
  readonly log: Logger;
  /** Silence after which a stream counts as dead. */
  readonly silenceMs?: number;
}

export interface Watch {
  readonly start: () => void;
  readonly stop: () => void;
}

const OUT_OF_RANGE = 11;
const SILENCE_MS = 20_000;
const RETRY_MIN_MS = 100;
const RETRY_MAX_MS = 2_000;

export function createWatch(deps: WatchDeps): Watch {
  const silenceMs = deps.silenceMs ?? SILENCE_MS;
  let stream: InvalidationStream | undefined;
  let retry: NodeJS.Timeout | undefined;
  let watchdog: NodeJS.Timeout | undefined;
  let retryMs = RETRY_MIN_MS;
  let lastSeq = 0;
  let stopped = false;

  const connect = (): void => {
    retry = undefined;
    if (stopped) return;
    const opened = deps.open(lastSeq);
    // Changes before a stream that starts with the next change are unknown.
    const fromNow = lastSeq === 0;
    let first = true;
    stream = opened;
    listen(opened);
    opened.on('data', (row) => {
      if (stream !== opened) return;
      listen(opened);
      retryMs = RETRY_MIN_MS;
      if (first && fromNow) deps.onGap();
      else noticeGap(row);
      accept(row);
      deps.onConnected(true);
      // The first heartbeat gives the stream's position before the catalog has looked for newer
      // changes.
      if (!first && row.kind === 'HEARTBEAT') deps.onCaughtUp();
      first = false;
    });
    opened.on('error', (error) => ended(opened, error));
    opened.on('end', () => ended(opened, undefined));
  };

  // Numbers follow commit order without gaps; a gap is a missed change.
  const noticeGap = (row: Invalidation__Output): void => {
    const missed = row.kind === 'HEARTBEAT' ? row.seq > lastSeq : row.seq > lastSeq + 1;
    if (!missed) return;
    deps.log.warn('missed invalidations, the context cache is dropped', {
      lastSeq,
      seq: row.seq,
    });
    deps.onGap();
  };

  const accept = (row: Invalidation__Output): void => {
    const known = row.seq <= lastSeq;
    lastSeq = Math.max(lastSeq, row.seq);
    if (!known && row.kind !== 'HEARTBEAT') deps.onChange(row);
  };

  const listen = (opened: InvalidationStream): void => {
    clearTimeout(watchdog);
    watchdog = setTimeout(() => {
      opened.cancel();
      ended(opened, new Error(`silent for ${String(silenceMs)} ms`));
    }, silenceMs);
  };

  const ended = (opened: InvalidationStream, error: (Error & { code?: unknown }) | undefined) => {
    if (stream !== opened) return;
    stream = undefined;
    clearTimeout(watchdog);
    deps.onConnected(false);
    if (stopped) return;
    if (error?.code === OUT_OF_RANGE) {
      lastSeq = 0;
      deps.onGap();
    }
    // Logged as a warning once per outage, not per attempt.
    deps.log[retryMs === RETRY_MIN_MS ? 'warn' : 'debug'](
      'the watch of the catalog ended, connecting again',
      { error: error?.message ?? 'closed', retryMs },
    );
    retry = setTimeout(connect, retryMs * (0.5 + Math.random() / 2));
    retryMs = Math.min(retryMs * 2, RETRY_MAX_MS);
  };

  return {
    start: connect,
    stop: () => {
      stopped = true;
      clearTimeout(retry);
      clearTimeout(watchdog);
      stream?.cancel();
      stream = undefined;
    },
  };
}
