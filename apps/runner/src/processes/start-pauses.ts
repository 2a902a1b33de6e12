// Back-off for commands whose processes end before they have answered anything: the next start of the
// same command has to wait, longer each time.
import { createRestarts, type Restarts } from '@tollgate/kit';

export interface StartPauses {
  /** How long a start of this command has to wait; 0: not at all. */
  readonly waitMs: (command: string) => number;
  readonly failed: (command: string) => void;
  readonly answered: (command: string) => void;
}

const LIMITS = { firstMs: 1_000, mostMs: 60_000, steadyMs: Infinity };

/** Commands come from the operator's file, which bounds their number. */
export function createStartPauses(nowMs: () => number): StartPauses {
  const pauses = new Map<string, { readonly restarts: Restarts; untilMs: number }>();
  return {
    waitMs: (command) => Math.max((pauses.get(command)?.untilMs ?? 0) - nowMs(), 0),
    failed: (command) => {
      const pause = pauses.get(command) ?? { restarts: createRestarts(LIMITS), untilMs: 0 };
      const { afterMs } = pause.restarts.ended(0) ?? { afterMs: LIMITS.mostMs };
      pause.untilMs = nowMs() + afterMs;
      pauses.set(command, pause);
    },
    answered: (command) => void pauses.delete(command),
  };
}
