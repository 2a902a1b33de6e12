import { tokensOut } from '@tollgate/contracts';

import type { Gateway } from '../exchange/gateway';
import type { Passage } from '../operations';
import { bufferedTokens, TOKENISERS_DIFFER } from './count';

/** The tolerance for short answers, where a relative tolerance is too small. */
const SLACK_TOKENS = 64;
/** The minimum growth of the running estimate between two counts by the tokeniser. */
const LOOK_AGAIN_TOKENS = 16;
/** Upstream counts are read once in this many pieces, because reading them may parse JSON. */
const READ_EVERY_PIECES = 8;
/** The running estimate is at most this many times the real count of any human-readable text. */
const ESTIMATE_TOO_HIGH = 8;

export interface OutputBound {
  /**
   * Compares the output so far with the bound that was sent upstream. `wait`: a count is running,
   * and `changed` is called when it ends. `stop`: the upstream exceeded its bound.
   */
  check: () => 'go' | 'wait' | 'stop';
}

/** Three measures of the output so far. */
export interface Measured {
  /** The tokeniser's count. Undefined: it cannot count this output. */
  counted: number | undefined;
  pieces: number;
  /** The running estimate, which is never too low. */
  estimate: number;
}

/**
 * Whether the output certainly exceeds its bound, whichever tokeniser the upstream uses. One count
 * may be wrong, so two independent ones must agree.
 */
export function passesBound({ counted, pieces, estimate }: Measured, bound: number): boolean {
  if (counted === undefined) return estimate > bound * ESTIMATE_TOO_HIGH + SLACK_TOKENS;
  if (counted > bound && pieces > bound) return true;
  return counted > bound * TOKENISERS_DIFFER + SLACK_TOKENS;
}

/** Whether a count could pass the bound at all: it is never above the estimate. */
export function mayPass({ pieces, estimate }: Omit<Measured, 'counted'>, bound: number): boolean {
  if (pieces > bound && estimate > bound) return true;
  return estimate > bound * TOKENISERS_DIFFER + SLACK_TOKENS;
}

/** The minimum number of further tokens before output within its bound could exceed it. */
function roomIn({ counted, pieces, estimate }: Measured, bound: number): number {
  if (counted === undefined) return estimate;
  if (counted <= bound) return bound - counted;
  return Math.min(bound - pieces, bound * TOKENISERS_DIFFER + SLACK_TOKENS - counted);
}

/**
 * Watches that a stream keeps to the bound that its hold is based on. The running estimate is too
 * high for most texts, so it only decides when to count. The stream is paused for the few
 * milliseconds of a count, and an answer within its bound is never cut.
 */
export function createOutputBound(
  { tokens }: Pick<Gateway, 'tokens'>,
  bound: number | undefined,
  { report, output }: Pick<Passage, 'report' | 'output'>,
  changed: () => void,
): OutputBound {
  if (bound === undefined || !output) return { check: () => 'go' };
  let lookAt = bound;
  let readAt = 0;
  /** The number of pieces when the upstream first reported more than the bound. */
  let reportedOver: number | undefined;
  let counting = false;
  let passed = false;

  const count = async (): Promise<void> => {
    const { outputPieces: pieces, outputTokensEstimate: estimate } = report;
    const said = output.read();
    const { usage } = report;
    // The buffer no longer holds text that the upstream has counted.
    if (usage) said.countedTokens = tokensOut(usage);
    const counted = await bufferedTokens(tokens, said);
    const measured = { counted, pieces, estimate };
    passed = passesBound(measured, bound);
    // A token may be smaller than the estimate assumes, so the next count comes early.
    lookAt = estimate + Math.max(LOOK_AGAIN_TOKENS, Math.floor(roomIn(measured, bound) / 2));
    counting = false;
    changed();
  };

  /** Output after a report above the bound. An upstream that ended its answer sends none. */
  const reportedMore = (): boolean => {
    if (reportedOver !== undefined) return report.outputPieces > reportedOver;
    if (report.outputPieces < readAt) return false;
    readAt = report.outputPieces + READ_EVERY_PIECES;
    if (report.usage && tokensOut(report.usage) > bound) reportedOver = report.outputPieces;
    return false;
  };

  return {
    check: () => {
      if (passed || reportedMore()) return 'stop';
      if (counting) return 'wait';
      const { outputPieces: pieces, outputTokensEstimate: estimate } = report;
      if (estimate <= lookAt || !mayPass({ pieces, estimate }, bound)) return 'go';
      counting = true;
      void count();
      return 'wait';
    },
  };
}
