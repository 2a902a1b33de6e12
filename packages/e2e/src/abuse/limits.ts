// Every bound of `npm run abuse`: the limits of a row, and the resources of a run.

export const MIB = 1024 * 1024;

export interface Limits {
  /** The 99th percentile of the other callers' latencies during an input. */
  readonly othersP99Ms: number;
  /** The maximum resident memory of the edge. */
  readonly memoryBytes: number;
}

export const LIMITS: Limits = { othersP99Ms: 250, memoryBytes: 400 * MIB };

/** For continuous integration, where the machine runs other work too. */
export const PATIENT_LIMITS: Limits = { othersP99Ms: 1_000, memoryBytes: 400 * MIB };

/** The other callers' requests per second. */
export const OTHERS_PER_SECOND = 50;
/** The interval of health checks at the edge. */
export const HEALTH_EVERY_MS = 50;
/**
 * The other callers' maximum of waiting requests: beyond it a request is not sent, and counts as
 * failed.
 */
export const OTHERS_IN_FLIGHT = 512;
export const OTHERS_TIMEOUT_MS = 30_000;
/** The grace for the other callers' requests to end after the input. */
export const OTHERS_GRACE_MS = 5_000;
/** The minimum duration of a row: a percentile needs a hundred requests. */
export const ROW_MS = 2_000;
/** The maximum duration of an input. */
export const INPUT_TIMEOUT_MS = 60_000;
/** An edge of this size has failed the row already, and the input ends to spare the machine. */
export const GIVE_UP_AT_BYTES = 1_536 * MIB;
export const MEMORY_EVERY_MS = 100;
/** The edge's V8 heap limit; exceeding it ends the process. */
export const EDGE_HEAP_MIB = 512;
