// Times and sizes of deciding from memory. The inequalities between them keep the promises.

export interface FloatParameters {
  /** Pause between two posts while there is something to report. */
  readonly postIntervalMs: number;
  /** How long a float lives without a post: a dead policy's float refuses others for so long. */
  readonly leaseMs: number;
  /** No decision is made this close to the end of the lease. */
  readonly decideMarginMs: number;
  /** No decision is made while older ones have not reached Redis. */
  readonly unpostedMaxMs: number;
  /** A post that is unanswered this long: every hold is kept, and the edges adopt. */
  readonly troubleMs: number;
  /** A session that was silent this long is closed by its edge. */
  readonly silenceMs: number;
  /** Demand of this long is lent in advance. */
  readonly aheadMs: number;
  /** Fewer requests of a limit than this within `aheadMs` are decided exactly. */
  readonly floatFrom: number;
  /** Of all limits of a shard: a post costs more than the scripts of one or two requests. */
  readonly shardFrom: number;
  /** Error of the estimated time of Redis, doubled. */
  readonly clockMarginMs: number;
  /** How old an answer about a POST_PAID counter may be. */
  readonly postPaidAgeMs: number;
  /** A float without anything to report posts this often, to live on. */
  readonly renewMs: number;
}

/** A rate of requests of a shard as a count within `aheadMs`, at least one. */
export function shardFrom(perSecond: number, aheadMs: number): number {
  return Math.max(1, Math.ceil((perSecond * aheadMs) / 1_000));
}

export const FLOAT_PARAMETERS: FloatParameters = {
  postIntervalMs: 10,
  leaseMs: 5_000,
  decideMarginMs: 3_500,
  unpostedMaxMs: 100,
  troubleMs: 1_000,
  silenceMs: 1_000,
  aheadMs: 150,
  floatFrom: 4,
  shardFrom: shardFrom(250, 150),
  clockMarginMs: 250,
  postPaidAgeMs: 1_000,
  renewMs: 500,
};

/** An edge takes no older ALLOW of a float: half a second by its loop clock, which counts blocked time half. */
const ALLOW_MS = 1_000;
/**
 * How long an edge takes to adopt a hold over another session: 100 ms until it looks, and two tries of 250 ms, which a
 * blocked edge doubles, 100 ms apart.
 */
const ADOPTION_MS = 1_200;
const ENDED_KEPT_MIN_MS = 120_000;
const ENDED_KEPT_SLACK_MS = 10_000;

/**
 * How long Redis remembers an ended hold: a policy may believe in its copy of a hold until the
 * hold's lease is over, and its post must find the mark then.
 */
export function endedKeptMs(leaseMs: number, parameters = FLOAT_PARAMETERS): number {
  return Math.max(ENDED_KEPT_MIN_MS, leaseMs + parameters.leaseMs + ENDED_KEPT_SLACK_MS);
}

/**
 * Throws unless a hold that was decided at the last allowed instant is adopted before its float can
 * be reclaimed: its edge notices within `silenceMs` that the policy is gone, or is told within
 * `troubleMs` that the policy lost Redis.
 */
export function checkParameters(parameters: FloatParameters, itemDeadlineMs: number): void {
  const { decideMarginMs, leaseMs, postIntervalMs, silenceMs, troubleMs } = parameters;
  const allowMs = Math.max(itemDeadlineMs, ALLOW_MS);
  const least = Math.max(allowMs + silenceMs, postIntervalMs + troubleMs) + ADOPTION_MS;
  if (decideMarginMs < least)
    throw new RangeError(
      `adopting a hold takes up to ${String(least)} ms, at most ${String(decideMarginMs)} ms is left`,
    );
  if (leaseMs < decideMarginMs + parameters.renewMs + parameters.unpostedMaxMs)
    throw new RangeError(`a float of ${String(leaseMs)} ms leaves no time for decisions`);
}

/** The longest deadline of an item, as its edge waits for it, that leaves time for an adoption. */
export const longestItemMs = ({ decideMarginMs, silenceMs }: FloatParameters): number =>
  decideMarginMs - silenceMs - ADOPTION_MS;
