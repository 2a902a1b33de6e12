import {
  BUDGET_PERIODS,
  LIMIT_KINDS,
  LIMIT_SCOPES,
  QUOTA_METRICS,
  type rest,
} from '@tollgate/contracts';
import { z } from 'zod';

// What the browser asks the console's server about a key, and what the gateway answers
// (docs/dry-run.md). Fields that are not shown are left out.

export const TRY_FORMATS = [
  'unified',
  'chat',
  'responses',
  'messages',
  'gemini',
  'embeddings',
] as const;
export type TryFormat = (typeof TRY_FORMATS)[number];

export const tryQuestion = z.strictObject({
  format: z.enum(TRY_FORMATS),
  /** Named in the path of some formats. */
  model: z.string().min(1).max(512),
  body: z.record(z.string(), z.unknown()),
});
export type TryQuestion = z.output<typeof tryQuestion>;

const amount = z.union([z.string(), z.number()]);

const limit = z.object({
  id: z.string(),
  kind: z.enum(LIMIT_KINDS),
  metric: z.enum(QUOTA_METRICS).nullable(),
  mode: z.string(),
  scope: z.object({ type: z.enum(LIMIT_SCOPES), id: z.string() }),
  period: z.enum(BUDGET_PERIODS).nullable(),
  windowSeconds: z.number().nullable(),
  limit: amount,
  before: z.object({
    settled: amount.nullable(),
    held: amount.nullable(),
    remaining: amount.nullable(),
  }),
  requested: amount,
  after: z.object({ held: amount, remaining: amount }).nullable(),
  exceeded: z.boolean(),
  resetsAt: z.string().nullable(),
});
export type TriedLimit = z.output<typeof limit>;

export const dryRunAnswer = z.object({
  requestId: z.string(),
  decision: z.enum(['allow', 'deny']),
  error: z
    .object({
      code: z.string(),
      status: z.number(),
      message: z.string(),
      details: z
        .object({
          limit: z.object({ id: z.string() }).optional(),
          need: z
            .object({
              inputTokens: z.number(),
              outputTokens: z.number(),
              outputBound: z.string().optional(),
            })
            .optional(),
        })
        .optional(),
    })
    .nullable(),
  checks: z.array(z.object({ check: z.string(), passed: z.boolean() })),
  hold: z
    .object({
      usd: z.string(),
      inputTokens: z.number(),
      outputTokens: z.number(),
      choices: z.number(),
      outputBound: z.string().nullable(),
    })
    .nullable(),
  limits: z.array(limit),
  candidates: z.array(
    z.object({
      modelId: z.string(),
      model: z.string(),
      provider: z.string(),
      region: z.string().nullish(),
      translation: z
        .object({
          format: z.string().nullable().optional(),
          translated: z.boolean().optional(),
          dropped: z.array(z.string()).optional(),
          error: z.object({ message: z.string() }).optional(),
        })
        .nullable()
        .optional(),
    }),
  ),
  leftOut: z.array(
    z.object({ modelId: z.string(), model: z.string().nullable(), reason: z.string() }),
  ),
  routing: z.object({ policy: z.string(), strategy: z.string() }).nullable(),
  screening: z.object({ evidence: z.string(), servicesNotAsked: z.number().optional() }).nullable(),
});
export type DryRunAnswer = z.output<typeof dryRunAnswer>;

export interface TryFailure {
  readonly failure: string;
}

/** Asks the console's server. A refusal of the question and a lost connection are failures. */
export async function askDryRun(
  { apiKeyId, organisationId }: { readonly organisationId: string; readonly apiKeyId: string },
  question: TryQuestion,
): Promise<DryRunAnswer | TryFailure> {
  const [organisation, key] = [organisationId, apiKeyId].map(encodeURIComponent);
  try {
    const response = await fetch(`/api/organisations/${organisation}/apikeys/${key}/try`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(question),
    });
    return dryRunAnswerIn(await response.text());
  } catch {
    return { failure: 'The connection was lost. Ask again.' };
  }
}

const anyError = z.object({ error: z.object({ message: z.string() }) });

/** The answer, or the message of an error in any format. */
export function dryRunAnswerIn(text: string): DryRunAnswer | TryFailure {
  const value = jsonOf(text);
  const answer = dryRunAnswer.safeParse(value);
  if (answer.success) return answer.data;
  const error = anyError.safeParse(value);
  return {
    failure: error.success
      ? error.data.error.message
      : 'The gateway gave an answer that this page does not understand. Reload the page.',
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The limit that refused and what the request needed of it; undefined: no limit refused. */
export function refusingOf({
  error,
  limits,
}: DryRunAnswer): { limit: rest.RefusingLimit; need: rest.RefusalNeed } | undefined {
  const found = limits.find(({ id }) => id === error?.details?.limit?.id);
  if (found === undefined) return undefined;
  const { id, kind, metric, period, requested, resetsAt, scope, windowSeconds } = found;
  const { held, settled } = found.before;
  const need = error?.details?.need;
  return {
    limit: {
      id,
      kind,
      metric,
      period,
      resetsAt,
      scope,
      windowSeconds,
      limit: found.limit,
      spent: settled ?? 0,
      held: held ?? 0,
    },
    need: {
      requested,
      inputTokens: need?.inputTokens ?? null,
      outputTokens: need?.outputTokens ?? null,
      outputAssumed: need?.outputBound === 'ASSUMED',
    },
  };
}
