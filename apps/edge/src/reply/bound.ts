import { tokensOut } from '@tollgate/contracts';
import type { Passage } from '../operations';
import type { Gateway } from '../exchange/gateway';
import { keptTokens, TOKENISERS_DIFFER } from './count';

/** What a count may be off by in a short answer, where a share of it says little. */
const SLACK_TOKENS = 64;
/** How much the running estimate grows at least between two counts by the tokeniser. */
const LOOK_AGAIN_TOKENS = 16;
/** Counts of the upstream's own are read once in so many pieces: reading them may mean parsing. */
const READ_EVERY_PIECES = 8;
/** The running estimate is at most so many times the output of any text that people read. */
const ESTIMATE_TOO_HIGH = 8;

export type OutputBound = {
  /**
   * Compares the output so far with the bound that the upstream was told. `wait`: it is being counted,
   * and `changed` is called when it is. `stop`: the upstream does not keep to its bound.
   */
  check: () => 'go' | 'wait' | 'stop';
};

/** What is known of the output so far. */
export type Measured = {
  /** By the tokeniser. Undefined: it cannot count. */
  counted: number | undefined;
  pieces: number;
  /** The running estimate, which is never too low. */
  estimate: number;
};

/**
 * Whether output is certainly longer than its bound, whatever tokeniser the upstream has. Two counts
 * that are independent of each other suffice; one alone may be off.
 */
export function passesBound({ counted, pieces, estimate }: Measured, bound: number): boolean {
  if (counted === undefined) return estimate > bound * ESTIMATE_TOO_HIGH + SLACK_TOKENS;
  if (counted > bound && pieces > bound) return true;
  return counted > bound * TOKENISERS_DIFFER + SLACK_TOKENS;
}

/** How many more tokens there are at least before output that has not passed its bound may do so. */
function roomIn({ counted, pieces, estimate }: Measured, bound: number): number {
  if (counted === undefined) return estimate;
  if (counted <= bound) return bound - counted;
  return Math.min(bound - pieces, bound * TOKENISERS_DIFFER + SLACK_TOKENS - counted);
}

/**
 * Watches that a stream keeps to the bound its hold was taken by. The running estimate is too high for
 * most texts, so it only says when to count: the stream is held back for the few milliseconds that the
 * tokeniser takes, and an answer that keeps to its bound is never cut.
 */
export function createOutputBound(
  { tokens }: Pick<Gateway, 'tokens'>,
  bound: number | undefined,
  { report, kept }: Pick<Passage, 'report' | 'kept'>,
  changed: () => void,
): OutputBound {
  if (bound === undefined || !kept) return { check: () => 'go' };
  let lookAt = bound;
  let readAt = 0;
  /** How many pieces there were when the upstream had reported more than the bound. */
  let reportedOver: number | undefined;
  let counting = false;
  let passed = false;

  const count = async (): Promise<void> => {
    const { outputPieces: pieces, outputTokensEstimate: estimate } = report;
    const said = kept.read();
    const { usage } = report;
    // What the upstream has counted is no longer kept.
    if (usage) said.countedTokens = tokensOut(usage);
    const counted = await keptTokens(tokens, said);
    const measured = { counted, pieces, estimate };
    passed = passesBound(measured, bound);
    // A token may be less than what the estimate takes for one, so the next look comes early.
    lookAt = estimate + Math.max(LOOK_AGAIN_TOKENS, Math.floor(roomIn(measured, bound) / 2));
    counting = false;
    changed();
  };

  /** Output that follows a report of more than the bound: an upstream that had ended sends none. */
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
      if (report.outputTokensEstimate <= lookAt) return 'go';
      counting = true;
      void count();
      return 'wait';
    },
  };
}
