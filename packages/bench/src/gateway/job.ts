/** What the generator is told and what it says. */

export interface Job {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent in turn as bearer tokens, where keys are to change from request to request. */
  readonly tokens?: readonly string[];
  /** Each token is sent once, and the load ends with the last of them if its time has not ended it. */
  readonly once?: boolean;
  readonly body: string;
  /** The status that counts as an answer. */
  readonly expect: number;
  readonly connections: number;
  readonly seconds: number;
  /** The same load beforehand, for so long, of which nothing is reported. Not with `once`. */
  readonly warmUpSeconds?: number;
  /** Requests begun per second; without it every connection sends as fast as it is answered. */
  readonly perSecond?: number;
}

/** Microseconds. */
export interface Quantiles {
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly p999: number;
}

export interface Outcome {
  readonly elapsedMs: number;
  /** Answered as expected. */
  readonly requests: number;
  /** How often what else came instead. */
  readonly failures: Readonly<Record<string, number>>;
  /** To the end of the answer, and to its first byte. */
  readonly totalUs: Quantiles;
  readonly firstUs: Quantiles;
}
