/** Messages between the benchmark and its load generator. */

export interface Job {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent in turn as bearer tokens, where keys change from request to request. */
  readonly tokens?: readonly string[];
  /** Each token is sent once; the load ends with the last one at the latest. */
  readonly once?: boolean;
  readonly body: string;
  /** The status that counts as success. */
  readonly expect: number;
  readonly connections: number;
  readonly seconds: number;
  /** Duration of the same load before measuring. Not with `once`. */
  readonly warmUpSeconds?: number;
  /** Requests started per second; without it every connection sends as fast as it is answered. */
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
  /** Counts of other results. */
  readonly failures: Readonly<Record<string, number>>;
  /** To the end of the answer, and to its first byte. */
  readonly totalUs: Quantiles;
  readonly firstUs: Quantiles;
}
