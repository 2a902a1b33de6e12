// What one session knows about floats: which process it leads to, and whether that process still
// speaks. A hold of a float is known to its process alone, so it is adopted elsewhere in time.

import type { AuthorizeReply__Output, SessionReply__Output } from '@tollgate/contracts/node';

import type { Item } from './item';

export interface FloatWatch {
  /** A frame arrived. */
  heard: (frame: SessionReply__Output) => void;
  /** The policy process at the other end; empty: it has named no float yet. */
  process: () => string;
  stop: () => void;
}

export interface FloatWatchDeps {
  /** Monotonic milliseconds, also of the time in which this process was blocked. */
  realMs: () => number;
  /** No frame for `SILENCE_MS`. */
  onSilent: () => void;
}

/** A session that has named a float has a frame at least every 250 ms. */
export const SILENCE_MS = 1_000;
const LOOK_MS = 100;
/** An older ALLOW of a float is not taken. On the loop clock, so at most twice as long in real time. */
const ALLOW_MS = 500;

// Silence counts from the first float on: policies of an earlier release are silent while nothing
// is asked, and have no floats.
export function createFloatWatch({ realMs, onSilent }: FloatWatchDeps): FloatWatch {
  let process = '';
  let heardAtMs = realMs();
  let looking: NodeJS.Timeout | undefined;
  let judging: NodeJS.Immediate | undefined;

  const judge = (): void => {
    judging = undefined;
    if (realMs() - heardAtMs >= SILENCE_MS) onSilent();
  };
  // After this process was blocked, frames lie unread in the socket: they are read first.
  const look = (): void => {
    judging ??= setImmediate(judge);
  };

  return {
    heard: (frame) => {
      heardAtMs = realMs();
      if (process !== '') return;
      process = processIn(frame);
      if (process !== '') looking = setInterval(look, LOOK_MS);
    },
    process: () => process,
    stop: () => {
      clearInterval(looking);
      clearImmediate(judging);
    },
  };
}

function processIn({ results, adoptFloats }: SessionReply__Output): string {
  for (const { authorize, extend } of results) {
    const floatId = authorize?.allow?.floatId || extend?.floatId;
    if (floatId) return processOf(floatId);
  }
  return processOf(adoptFloats[0] ?? '');
}

/** A float's id is that of its process and a generation. */
export function processOf(floatId: string): string {
  return floatId.slice(0, Math.max(0, floatId.lastIndexOf('.')));
}

/**
 * An ALLOW of a float that arrives too late: until the hold could be adopted elsewhere, the float may
 * have been given to others.
 */
export function isTooLate(
  item: Item,
  reply: AuthorizeReply__Output | null | undefined,
  loopMs: number,
): boolean {
  if (!reply?.allow?.floatId) return false;
  return loopMs > Math.min(item.dueMs, item.sentMs + ALLOW_MS);
}
