import type { Candidate__Output } from '@tollgate/contracts/node';

import type { Hold } from '../policy';

/** How far ahead of the output the hold is kept; per answer. */
const AHEAD_TOKENS = 512;
/** What an extension adds where policy does not say, as one of the release before does not. */
const DEFAULT_STEP_TOKENS = 1_024;

export interface HoldGrowth {
  /**
   * Compares the output so far (all choices together) with the hold, and extends the hold ahead of
   * need. `go`: the hold covers the output. `wait`: an extension is pending, and `changed` is
   * called when it is answered. `stop`: no limit allows more, and the hold is used up.
   */
  check: (outputTokens: number) => 'go' | 'wait' | 'stop';
}

// A stream without an output bound from the client holds its output in steps. If policy is
// unreachable, the stream continues beyond its hold, and the full cost is booked.
export function createHoldGrowth(
  hold: Pick<Hold, 'extend'>,
  candidate: Candidate__Output,
  choices: number,
  changed: () => void,
): HoldGrowth {
  if (!candidate.outputInSteps) return { check: () => 'go' };
  const ahead = AHEAD_TOKENS * choices;
  const stepTokens = candidate.outputStepTokens || DEFAULT_STEP_TOKENS;
  // The upstream was told this bound; an estimate beyond it is only an estimate.
  const most = candidate.maxOutputTokens > 0 ? candidate.maxOutputTokens * choices : Infinity;
  let held = candidate.heldOutputTokens * choices;
  let asking = false;
  let refused = false;

  const extend = async (): Promise<void> => {
    asking = true;
    // Per answer, as the hold counts them; `held` counts all answers together.
    const { modelId, serviceTier } = candidate;
    const outcome = await hold.extend(modelId, { outputTokens: stepTokens, serviceTier });
    asking = false;
    if (!outcome.granted && outcome.refused) refused = true;
    else held += stepTokens * choices;
    changed();
  };

  return {
    check: (outputTokens) => {
      if (held >= most) return 'go';
      if (!refused && !asking && outputTokens + ahead >= held) void extend();
      if (outputTokens < held) return 'go';
      return refused ? 'stop' : 'wait';
    },
  };
}
