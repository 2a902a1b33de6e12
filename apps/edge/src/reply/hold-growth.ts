import type { Candidate__Output } from '@tollgate/contracts/node';
import type { Hold } from '../policy';

/** How far ahead of the output the hold is kept; per answer. */
const AHEAD_TOKENS = 512;
/** What an extension adds where policy does not say, as one of the release before does not. */
const DEFAULT_STEP_TOKENS = 1_024;

export type HoldGrowth = {
  /**
   * Compares the output so far (all answers together) with what is held, and asks for more ahead of
   * need. `go`: covered. `wait`: an extension is under way, `changed` is called when it is answered.
   * `stop`: no limit allows more, and what was held is used up.
   */
  check: (outputTokens: number) => 'go' | 'wait' | 'stop';
};

// A stream without a bound of the client's holds its output in steps. When policy cannot be asked
// the stream goes on uncovered: what it costs beyond the hold is booked all the same.
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
    const outcome = await hold.extend(candidate.modelId, { outputTokens: stepTokens });
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
