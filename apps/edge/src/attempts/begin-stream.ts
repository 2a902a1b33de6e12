import type { StartedStream, StreamReader } from '../exchange/answer';
import type { ByteLease } from '../intake';
import type { Passage } from '../operations';
import type { UpstreamAnswer } from '../upstream/call';
import { faultOf, type UpstreamFailure } from '../upstream/failure';

export interface BeginStreamOptions {
  abort: () => void;
  /** Removes from a failure what a client must not read. */
  toClientSafe: (failure: UpstreamFailure) => UpstreamFailure;
  nowMs: () => number;
  /** The memory lease for the bytes of an incomplete event. */
  lease: () => ByteLease;
  /** Waits for output, not only for the events before it. */
  withOutput: boolean;
}

/** Events before the output are few and short. Beyond this size the stream counts as started. */
const WITHOUT_OUTPUT_BYTES = 64 * 1024;

/**
 * Waits until a stream has something to send on. Until then its failure is a failure of the
 * attempt, and another candidate can be tried.
 * @throws UpstreamFailure
 */
export function beginStream(
  upstream: UpstreamAnswer,
  tap: Passage,
  { abort, nowMs, toClientSafe, lease, withOutput }: BeginStreamOptions,
): Promise<StartedStream> {
  return new Promise((resolve, reject) => {
    let reader: StreamReader | undefined;
    let ending: { failure: UpstreamFailure | undefined } | undefined;
    let firstOutputMs: number | undefined;
    const early: Buffer[] = [];
    let earlyBytes = 0;

    const stream: StartedStream = {
      tap,
      firstOutputMs: () => firstOutputMs,
      read: (given) => {
        reader = given;
        const more = reader.pass(early);
        if (ending) reader.over(ending.failure);
        if (ending ?? more) upstream.resume();
      },
      resume: () => upstream.resume(),
      abort,
    };

    const pass = (parts: readonly Buffer[]): boolean => {
      if (tap.report.outputSeen && !tap.withholds?.()) firstOutputMs ??= nowMs();
      if (parts.length === 0) return true;
      if (reader) return reader.pass(parts);
      early.push(...parts);
      for (const part of parts) earlyBytes += part.length;
      if (withOutput && !hasBegun(tap, earlyBytes)) return true;
      resolve(stream);
      return false;
    };

    const end = (failed: UpstreamFailure | undefined): void => {
      const failure = failed && toClientSafe(failed);
      ending = { failure };
      if (reader) reader.over(failure);
      else if (failure && (early.length === 0 || (withOutput && !hasBegun(tap, earlyBytes))))
        reject(failure);
      else resolve(stream);
    };

    const unfinished = createUnfinished(lease);
    const slice = createSlice(nowMs);

    upstream.read({
      data: (chunk) => {
        // After the terminal event the rest is drained, so that the connection can be reused.
        if (ending) return true;
        slice.begin();
        const parts = tap.push(chunk);
        const room = unfinished(chunk.length, parts.length > 0);
        const more = pass(parts);
        if (tap.report.fault ?? tap.report.terminal) end(faultOf(tap));
        if (ending || !more) return more;
        if (room) void room.then(() => upstream.resume());
        else if (slice.isOver()) setImmediate(() => upstream.resume());
        else return true;
        return false;
      },
      end: () => {
        if (ending) return;
        pass(tap.finish());
        end(faultOf(tap));
      },
      fail: (failure) => {
        if (ending) return;
        pass(tap.finish(true));
        end(tap.report.terminal ? undefined : failure);
      },
    });
  });
}

function hasBegun({ report }: Passage, earlyBytes: number): boolean {
  return report.outputSeen || earlyBytes > WITHOUT_OUTPUT_BYTES;
}

/** How long one stream may be processed before it yields to the others. */
const SLICE_MS = 10;
/** Chunks less than this apart are read in one turn of the event loop: up to 32 of 64 KiB. */
const SAME_TURN_MS = 1;

/** Measures how long a stream is processed without yielding. Costs two clock reads per chunk. */
function createSlice(nowMs: () => number) {
  let beganMs = 0;
  let endedMs = 0;
  let busyMs = 0;
  return {
    begin: (): void => {
      beganMs = nowMs();
      if (beganMs - endedMs > SAME_TURN_MS) busyMs = 0;
    },
    isOver: (): boolean => {
      endedMs = nowMs();
      busyMs += endedMs - beganMs;
      if (busyMs <= SLICE_MS) return false;
      busyMs = 0;
      return true;
    },
  };
}

/** Events up to this size are common and need no lease. */
const COMMON_EVENT_BYTES = 64 * 1024;

/**
 * Leases memory for an incomplete event and returns it when the event is complete.
 * @returns a promise if the upstream must wait for memory
 */
function createUnfinished(open: () => ByteLease) {
  let held = 0;
  let taken = 0;
  return (bytes: number, passed: boolean): Promise<void> | undefined => {
    if (passed) {
      if (taken > 0) open().give(taken);
      held = 0;
      taken = 0;
      return undefined;
    }
    held += bytes;
    if (held <= COMMON_EVENT_BYTES) return undefined;
    const more = held - taken;
    taken = held;
    const lease = open();
    return lease.take(more) ? undefined : lease.takeSoon(more);
  };
}
