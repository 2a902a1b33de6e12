import { z } from 'zod';

import { BUDGET_PERIODS, DECISIONS_KEPT, LIMIT_KINDS, LIMIT_SCOPES, QUOTA_METRICS } from '../enums';
import { endpoint } from './endpoint';
import { id, instant } from './fields';

// Decisions of requests, with what they are made of: docs/kept-decisions.md.

const amount = z.union([z.string(), z.number()]);

/** US dollars per million tokens of each class, by the size of the input. */
const candidatePrice = z.object({
  id: z.string(),
  perMillionTokens: z.array(z.record(z.string(), amount)),
  perRequest: z.string(),
  perUnit: z.record(z.string(), z.string()),
  tierPercent: z.record(z.string(), z.number()).optional(),
});

const candidate = z.object({
  modelId: z.string(),
  model: z.string(),
  upstreamModel: z.string().optional(),
  provider: z.string(),
  region: z.string().nullish(),
  maxOutputTokens: z.number().nullable(),
  heldOutputTokens: z.number(),
  outputInSteps: z.boolean(),
  usd: z.string().nullable().meta({ description: 'The most that it may cost; null: not routed.' }),
  serviceTier: z
    .string()
    .nullish()
    .meta({ description: 'The processing tiers that it is asked for; null: standard processing.' }),
  price: candidatePrice.nullable(),
  probe: z.boolean(),
  translation: z
    .object({
      format: z.string().nullable().optional(),
      translated: z.boolean().optional(),
      dropped: z.array(z.string()).optional(),
      error: z.object({ message: z.string() }).optional(),
    })
    .nullable()
    .optional()
    .meta({ description: 'Of dry runs only.' }),
});

/** Where the figures of a limit come from. */
export const FIGURE_SOURCES = ['STORE', 'MEMORY', 'REPEATED'] as const;
export type FigureSource = (typeof FIGURE_SOURCES)[number];

export const explainedLimit = z
  .object({
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
    lent: amount,
    source: z.enum(FIGURE_SOURCES).default('STORE').meta({
      description:
        'STORE: the figures of the script that decided. MEMORY: decided from memory, for a busy organisation, with figures of the last exchange with the store; the request is taken from what is held already. REPEATED: read later, because the gateway asked twice.',
    }),
    resetsAt: z.string().nullable(),
  })
  .meta({
    id: 'ExplainedLimit',
    description: 'A limit before and after a request. Money is a decimal text in US dollars.',
  });
export type ExplainedLimit = z.output<typeof explainedLimit>;

/** A decision as dry runs answer it, and as it is kept. */
export const explainedDecision = z
  .object({
    requestId: z.string(),
    decision: z.enum(['allow', 'deny']),
    error: z
      .object({
        code: z.string(),
        status: z.number(),
        message: z.string(),
        param: z.string().optional(),
        retryAfterMs: z.number().optional(),
        details: z
          .looseObject({
            limit: z.looseObject({ id: z.string() }).optional(),
            need: z
              .looseObject({
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
        audioInputTokens: z.number(),
        readTokens: z.number(),
        outputTokens: z.number(),
        choices: z.number(),
        units: z.record(z.string(), z.number()),
        outputBound: z.string().nullable(),
        clamped: z.boolean(),
      })
      .nullable(),
    limits: z.array(explainedLimit),
    softExceeded: z.array(z.string()),
    candidates: z.array(candidate),
    leftOut: z.array(
      z.object({
        modelId: z.string(),
        model: z.string().nullable(),
        reason: z.string(),
        until: z.string().nullable(),
      }),
    ),
    routing: z
      .object({ policyId: z.string(), policy: z.string(), strategy: z.string() })
      .nullable(),
    experiment: z.object({ experiment: z.string(), arm: z.string() }).nullable(),
    screening: z
      .object({ evidence: z.string(), servicesNotAsked: z.number().optional() })
      .nullable()
      .meta({ description: 'Of dry runs only.' }),
  })
  .meta({ id: 'ExplainedDecision', description: 'A decision with what it is made of.' });
export type ExplainedDecision = z.output<typeof explainedDecision>;

/** The setting of an organisation. */
export const keepDecisions = z.enum(DECISIONS_KEPT);
export const KEPT_DAYS_MOST = 90;
export const keepDecisionsDays = z.int().min(1).max(KEPT_DAYS_MOST);

export const DECISION_STATES = ['KEPT', 'NOT_KEPT', 'REMOVED'] as const;
export const NOT_KEPT_REASONS = ['OFF', 'ALLOWED', 'DAY_FULL', 'UNKNOWN'] as const;

export const requestDecision = z
  .object({
    requestId: id,
    state: z.enum(DECISION_STATES).meta({
      description: 'REMOVED: the request is older than keepDecisionsDays.',
    }),
    reason: z.enum(NOT_KEPT_REASONS).nullable().meta({
      description:
        'Of NOT_KEPT. OFF: the organisation keeps none. ALLOWED: it keeps only refusals, and the request was allowed. DAY_FULL: of that day no more are kept. UNKNOWN: no such request, or its decision was lost or is not stored yet.',
    }),
    keepDecisions: keepDecisions.meta({ description: 'What the organisation keeps now.' }),
    keepDecisionsDays: z.int(),
    decidedAt: instant.nullable().meta({ description: 'Null, like the next four: not KEPT.' }),
    apiKeyId: id.nullable(),
    model: z.string().nullable().meta({
      description: 'As the client named it; of MCP requests the server.',
    }),
    operation: z.string().nullable(),
    decision: explainedDecision.nullable(),
  })
  .meta({ id: 'RequestDecision' });
export type RequestDecision = z.output<typeof requestDecision>;

type NotKept = Pick<RequestDecision, 'keepDecisionsDays' | 'reason' | 'state'>;

/** Why there is no decision to show, as a title and a text. */
export function absentDecision({ keepDecisionsDays, reason, state }: NotKept): {
  readonly title: string;
  readonly text: string;
} {
  if (state === 'REMOVED') {
    const days = keepDecisionsDays === 1 ? '1 day' : `${String(keepDecisionsDays)} days`;
    return {
      title: 'The decision was removed',
      text: `This organisation keeps decisions for ${days}, and the request is older.`,
    };
  }
  return { title: 'The decision was not kept', text: REASONS[reason ?? 'UNKNOWN'] };
}

const REASONS: Readonly<Record<NonNullable<RequestDecision['reason']>, string>> = {
  OFF: 'This organisation keeps no decisions. Change "Keep decisions" in its settings to see those of later requests.',
  ALLOWED:
    'The request was allowed, and this organisation keeps the decisions of refused requests only. Change "Keep decisions" in its settings to see those of later requests.',
  DAY_FULL: 'On that day this organisation had more decisions than are kept of one day.',
  UNKNOWN:
    'It may be a second too young: reload the page. Requests that the gateway itself refuses, such as one with a faulty body, have no decision. Under load or after a crash some are lost.',
};

export const getRequestDecision = endpoint({
  id: 'getRequestDecision',
  tag: 'Usage',
  summary:
    'Why a request was allowed or refused: checks, limits before and after, candidates. 404 says why nothing is kept of a request without a record',
  method: 'GET',
  path: '/api/organisations/:organisationId/usage/records/:requestId/decision',
  access: 'decisions.read',
  response: requestDecision,
});
