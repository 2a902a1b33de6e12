// Every bound of `npm run abuse` in one place: what a row is judged by, and what a run may cost.

export const MIB = 1024 * 1024;

export interface Limits {
  /** The 99th percentile of the other callers' latencies while an input is sent. */
  readonly othersP99Ms: number;
  /** The most resident memory of the edge. */
  readonly memoryBytes: number;
}

export const LIMITS: Limits = { othersP99Ms: 250, memoryBytes: 400 * MIB };

/** For continuous integration, where the machine does other things as well. */
export const PATIENT_LIMITS: Limits = { othersP99Ms: 1_000, memoryBytes: 400 * MIB };

/** Requests a second of the other callers. */
export const OTHERS_PER_SECOND = 50;
/** How often the edge's health is asked for. */
export const HEALTH_EVERY_MS = 50;
/** Beyond it a request of the other callers is not sent, and counts as failed. */
export const OTHERS_IN_FLIGHT = 512;
export const OTHERS_TIMEOUT_MS = 30_000;
/** How long requests of the other callers may take to end once the input is over. */
export const OTHERS_GRACE_MS = 5_000;
/** How long a row lasts at least: a percentile needs a hundred requests. */
export const ROW_MS = 2_000;
/** After this an input is given up. */
export const INPUT_TIMEOUT_MS = 60_000;
/** An edge this large has failed the row already; the input is given up to spare the machine. */
export const GIVE_UP_AT_BYTES = 1_536 * MIB;
export const MEMORY_EVERY_MS = 100;
/** The edge's V8 heap; growth beyond it ends the process. */
export const EDGE_HEAP_MIB = 512;
