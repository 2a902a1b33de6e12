import {
  BUDGET_PERIODS,
  LIMIT_KINDS,
  LIMIT_SCOPES,
  QUOTA_METRICS,
  type rest,
} from '@tollgate/contracts';
import { z } from 'zod';

/** Details of a refusal by a limit, as the client reads them (docs/errors.md). */

const amount = z.union([z.int(), z.string().regex(/^-?\d{1,16}(\.\d{1,9})?$/)]);

const details = z.object({
  limit: z.object({
    id: z.string().max(100),
    kind: z.enum(LIMIT_KINDS),
    metric: z.enum(QUOTA_METRICS).optional(),
    scope: z.object({ type: z.enum(LIMIT_SCOPES), id: z.uuid() }),
    period: z.enum(BUDGET_PERIODS).optional(),
    windowSeconds: z.int().optional(),
    limit: amount,
    spent: amount,
    held: amount,
    requested: amount,
    resetsAt: z.iso.datetime().optional(),
  }),
  need: z
    .object({
      inputTokens: z.int().min(0),
      outputTokens: z.int().min(0),
      outputBound: z.enum(['ASSUMED', 'EXPECTED', 'REQUESTED']).optional(),
    })
    .optional(),
});

export interface RefusalDetails {
  readonly limit: rest.RefusingLimit | null;
  readonly need: rest.RefusalNeed | null;
}

const NONE: RefusalDetails = { limit: null, need: null };
const UUID_LENGTH = 36;

/** Details of another shape, such as those of a later release, are left out. */
export function detailsOf(json: string): RefusalDetails {
  const parsed = details.safeParse(valueOf(json));
  if (!parsed.success) return NONE;
  const { limit, need } = parsed.data;
  const { requested, metric, period, windowSeconds, resetsAt, ...same } = limit;
  return {
    limit: {
      ...same,
      // A rate limit's parts have a suffix.
      id: limit.id.slice(0, UUID_LENGTH),
      metric: metric ?? null,
      period: period ?? null,
      windowSeconds: windowSeconds ?? null,
      resetsAt: resetsAt ?? null,
    },
    need: {
      requested,
      inputTokens: need?.inputTokens ?? null,
      outputTokens: need?.outputTokens ?? null,
      outputAssumed: need?.outputBound === 'ASSUMED',
      outputExpected: need?.outputBound === 'EXPECTED',
    },
  };
}

function valueOf(json: string): unknown {
  if (json === '') return undefined;
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
