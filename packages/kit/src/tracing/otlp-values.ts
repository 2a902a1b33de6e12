// Values of OTLP that both of its encodings have.

import type { SpanKind } from './span';

/** `Span.SpanKind`. */
export const KIND_NUMBERS: Readonly<Record<SpanKind, number>> = {
  INTERNAL: 1,
  SERVER: 2,
  CLIENT: 3,
};

/** `Status.StatusCode`. */
export const STATUS_ERROR = 2;

const SAMPLED = 0x01;
const HAS_IS_REMOTE = 0x100;
const IS_REMOTE = 0x200;

/** `SpanFlags`: sampled, and whether the parent, or what a link names, is a span of another process. */
export function flagsOf(remote: boolean): number {
  return SAMPLED | HAS_IS_REMOTE | (remote ? IS_REMOTE : 0);
}

const NANOS_PER_MS = 1_000_000;
const MS_PER_SECOND = 1_000;

/** Nanoseconds since 1970 of milliseconds with fractions: more than a number holds. */
export function unixNanos(ms: number): bigint {
  const seconds = Math.floor(ms / MS_PER_SECOND);
  const nanos = Math.round((ms - seconds * MS_PER_SECOND) * NANOS_PER_MS);
  return BigInt(seconds) * 1_000_000_000n + BigInt(nanos);
}
