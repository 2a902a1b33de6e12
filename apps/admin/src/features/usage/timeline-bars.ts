import type { rest } from '@tollgate/contracts';

// Where the bars of attempts are on the time of their request. Pure.

type Attempt = rest.UsageRecordDetail['attempts'][number];

export interface Bar {
  readonly attempt: Attempt;
  readonly ok: boolean;
  /** After the request began, in milliseconds. */
  readonly startMs: number;
  /** In percent of the whole time. */
  readonly from: number;
  readonly width: number;
  /** Undefined: none came. */
  readonly firstToken: number | undefined;
}

/** The whole time lasts from the decision to the end of the request, or of its last attempt. */
export function placed({
  attempts,
  authorisedAt,
  latencyMs,
}: Pick<rest.UsageRecordDetail, 'attempts' | 'authorisedAt' | 'latencyMs'>): {
  readonly bars: readonly Bar[];
  readonly totalMs: number;
} {
  // Clocks of edges and policies differ a little.
  const beganMs = Math.min(
    Date.parse(authorisedAt),
    ...attempts.map(({ startedAt }) => Date.parse(startedAt)),
  );
  const startOf = ({ startedAt }: Attempt): number => Date.parse(startedAt) - beganMs;
  const totalMs = Math.max(
    1,
    latencyMs,
    ...attempts.map((attempt) => startOf(attempt) + attempt.latencyMs),
  );
  const percent = (ms: number): number => Math.round((ms / totalMs) * 1_000) / 10;
  const bars = attempts.map((attempt): Bar => {
    const { firstTokenMs, outcome } = attempt;
    const startMs = startOf(attempt);
    return {
      attempt,
      ok: outcome === 'OK',
      startMs,
      from: percent(startMs),
      width: percent(attempt.latencyMs),
      firstToken: firstTokenMs > 0 ? percent(startMs + firstTokenMs) : undefined,
    };
  });
  return { bars, totalMs };
}
