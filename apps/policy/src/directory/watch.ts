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

interface Watching extends WatchDeps {
  readonly silenceMs: number;
  stream: InvalidationStream | undefined;
  retry: NodeJS.Timeout | undefined;
  watchdog: NodeJS.Timeout | undefined;
  retryMs: number;
  lastSeq: number;
  stopped: boolean;
}

export function createWatch(deps: WatchDeps): Watch {
  const watching: Watching = {
    ...deps,
    silenceMs: deps.silenceMs ?? SILENCE_MS,
    stream: undefined,
    retry: undefined,
    watchdog: undefined,
    retryMs: RETRY_MIN_MS,
    lastSeq: 0,
    stopped: false,
  };
  return {
    start: () => connect(watching),
    stop: () => {
      watching.stopped = true;
      clearTimeout(watching.retry);
      clearTimeout(watching.watchdog);
      watching.stream?.cancel();
      watching.stream = undefined;
    },
  };
}

function connect(watching: Watching): void {
  watching.retry = undefined;
  if (watching.stopped) return;
  const opened = watching.open(watching.lastSeq);
  // Changes before a stream that starts with the next change are unknown.
  const fromNow = watching.lastSeq === 0;
  let first = true;
  watching.stream = opened;
  listen(watching, opened);
  opened.on('data', (row) => {
    if (watching.stream !== opened) return;
    listen(watching, opened);
    watching.retryMs = RETRY_MIN_MS;
    if (first && fromNow) watching.onGap();
    else noticeGap(watching, row);
    accept(watching, row);
    watching.onConnected(true);
    // The first heartbeat gives the stream's position before the catalog has looked for newer
    // changes.
    if (!first && row.kind === 'HEARTBEAT') watching.onCaughtUp();
    first = false;
  });
  opened.on('error', (error) => ended(watching, opened, error));
  opened.on('end', () => ended(watching, opened, undefined));
}

// Numbers follow commit order without gaps; a gap is a missed change.
function noticeGap(watching: Watching, row: Invalidation__Output): void {
  const missed =
    row.kind === 'HEARTBEAT' ? row.seq > watching.lastSeq : row.seq > watching.lastSeq + 1;
  if (!missed) return;
  watching.log.warn('missed invalidations, the context cache is dropped', {
    lastSeq: watching.lastSeq,
    seq: row.seq,
  });
  watching.onGap();
}

function accept(watching: Watching, row: Invalidation__Output): void {
  const known = row.seq <= watching.lastSeq;
  watching.lastSeq = Math.max(watching.lastSeq, row.seq);
  if (!known && row.kind !== 'HEARTBEAT') watching.onChange(row);
}

function listen(watching: Watching, opened: InvalidationStream): void {
  clearTimeout(watching.watchdog);
  watching.watchdog = setTimeout(() => {
    opened.cancel();
    ended(watching, opened, new Error(`silent for ${String(watching.silenceMs)} ms`));
  }, watching.silenceMs);
}

function ended(
  watching: Watching,
  opened: InvalidationStream,
  error: (Error & { code?: unknown }) | undefined,
) {
  if (watching.stream !== opened) return;
  watching.stream = undefined;
  clearTimeout(watching.watchdog);
  watching.onConnected(false);
  if (watching.stopped) return;
  if (error?.code === OUT_OF_RANGE) {
    watching.lastSeq = 0;
    watching.onGap();
  }
  // Logged as a warning once per outage, not per attempt.
  watching.log[watching.retryMs === RETRY_MIN_MS ? 'warn' : 'debug'](
    'the watch of the catalog ended, connecting again',
    { error: error?.message ?? 'closed', retryMs: watching.retryMs },
  );
  watching.retry = setTimeout(
    () => connect(watching),
    watching.retryMs * (0.5 + Math.random() / 2),
  );
  watching.retryMs = Math.min(watching.retryMs * 2, RETRY_MAX_MS);
}
