import { z } from 'zod';

import { MODEL_NAME_CHARACTERS } from '../aliases';
import {
  EXPERIMENT_ARMS_MAX,
  EXPERIMENT_NAME_CHARACTERS,
  EXPERIMENT_STATUSES,
  SHADOW_ARM,
} from '../experiments';
import { endpoint } from './endpoint';
import {
  givenInstant,
  id,
  instant,
  listQuery,
  page,
  patchOf,
  search,
  usd,
  usdAmount,
} from './fields';

/** Experiments: requests for a name are split between models, and compared. */

/** Names of experiments and arms are in a header of the answer. */
const word = z
  .string()
  .max(EXPERIMENT_NAME_CHARACTERS)
  .regex(
    /^[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?$/,
    'lower-case letters, digits and inner dots, hyphens and underscores only',
  );

export const experimentArm = z
  .object({
    name: z.string(),
    modelId: id,
    share: z.int().meta({ description: 'Of the conversations, in per cent.' }),
  })
  .meta({ id: 'ExperimentArm' });
export type ExperimentArm = z.output<typeof experimentArm>;

export const experimentShadow = z
  .object({
    modelId: id,
    samplePercent: z.int(),
    dailyUsd: usdAmount,
  })
  .meta({ id: 'ExperimentShadow' });
export type ExperimentShadow = z.output<typeof experimentShadow>;

export const experiment = z
  .object({
    id,
    organisationId: id,
    name: z.string(),
    model: z.string().meta({ description: 'The name that requests ask for.' }),
    arms: z.array(experimentArm),
    shadow: experimentShadow.nullable().meta({
      description: 'A model that gets a part of the requests a second time; null: none.',
    }),
    status: z.enum(EXPERIMENT_STATUSES),
    startsAt: instant.nullable(),
    endsAt: instant.nullable(),
    createdAt: instant,
    updatedAt: instant,
  })
  .meta({ id: 'Experiment' });
export type Experiment = z.output<typeof experiment>;

const distinct = (values: readonly string[]): boolean => new Set(values).size === values.length;

export const shadowSettings = z.strictObject({
  modelId: id,
  samplePercent: z.int().min(1).max(100).meta({
    description: 'Of the requests that take part in the experiment, in per cent.',
  }),
  dailyUsd: usd
    .refine((text) => /[1-9]/.test(text), 'must be more than zero')
    .meta({
      description:
        'What the shadow may cost in a day, in the time zone of the organisation. Limits of API keys, teams and users do not count it; budgets and quotas of the organisation and of the model do.',
    }),
});

const settings = {
  name: word.meta({ description: 'Answers name it in the header `x-tollgate-experiment`.' }),
  arms: z
    .array(
      z.strictObject({
        name: word.refine((name) => name !== SHADOW_ARM, `"${SHADOW_ARM}" is reserved`),
        modelId: id,
        share: z.int().min(0).max(100).meta({ description: 'Of the conversations, in per cent.' }),
      }),
    )
    .min(1, 'at least one arm')
    .max(EXPERIMENT_ARMS_MAX, `an experiment has at most ${String(EXPERIMENT_ARMS_MAX)} arms`)
    .refine((arms) => distinct(arms.map(({ name }) => name)), 'two arms have the same name')
    .refine((arms) => distinct(arms.map(({ modelId }) => modelId)), 'two arms have the same model')
    .refine(
      (arms) => arms.reduce((sum, { share }) => sum + share, 0) === 100,
      'the shares must add up to 100',
    ),
  shadow: shadowSettings.nullable().meta({
    description:
      'A model that gets a part of the requests a second time, after the client has the first byte of its answer. Null: none.',
  }),
  status: z.enum(EXPERIMENT_STATUSES).meta({
    description: 'PAUSED: requests get what the name stands for without the experiment.',
  }),
  startsAt: givenInstant.nullable().meta({ description: 'Null: since it exists.' }),
  endsAt: givenInstant.nullable().meta({ description: 'Null: never.' }),
};

export const experimentCreate = z
  .strictObject({
    ...settings,
    model: z.string().trim().min(1).max(MODEL_NAME_CHARACTERS).meta({
      description:
        'The name of a model or an alias of the organisation; at most one active experiment has it.',
    }),
    shadow: settings.shadow.default(null),
    status: settings.status.default('ACTIVE'),
    startsAt: settings.startsAt.default(null),
    endsAt: settings.endsAt.default(null),
  })
  .refine(endsAfterStart, { path: ['endsAt'], message: 'must be after startsAt' })
  .meta({ id: 'ExperimentCreate' });
export type ExperimentCreate = z.output<typeof experimentCreate>;

export const experimentPatch = patchOf(settings).meta({ id: 'ExperimentPatch' });

export function endsAfterStart({
  endsAt,
  startsAt,
}: {
  readonly startsAt: string | null;
  readonly endsAt: string | null;
}): boolean {
  return startsAt === null || endsAt === null || Date.parse(startsAt) < Date.parse(endsAt);
}

/** Most records that one comparison reads: the latest. */
export const COMPARISON_RECORDS = 100_000;
/** The longest span of a comparison. */
export const COMPARISON_DAYS = 92;
/** Most error codes of one arm. */
export const COMPARISON_CODES = 20;

const percentiles = z.object({ p50: z.int().nullable(), p95: z.int().nullable() }).meta({
  id: 'ExperimentPercentiles',
  description: 'Milliseconds of completed requests; null: no request has one.',
});

export const armComparison = z
  .object({
    arm: z.string(),
    modelId: id.nullable().meta({ description: 'Null: the experiment has no such arm any more.' }),
    model: z.string().nullable(),
    share: z.int().nullable(),
    requests: z.int(),
    sessions: z.int().meta({
      description: 'Distinct sessions of coding agents; 0: no request named one.',
    }),
    errors: z.int(),
    errorCodes: z
      .array(z.object({ code: z.string(), requests: z.int() }))
      .meta({ description: `Most requests first; at most ${String(COMPARISON_CODES)}.` }),
    otherModel: z.int().meta({
      description: "Requests that another model than the arm's answered, after a failure.",
    }),
    cacheHits: z.int().meta({
      description: 'Requests that were answered from the response cache; they are in no latency.',
    }),
    firstTokenMs: percentiles,
    latencyMs: percentiles,
    tokensIn: z.int(),
    tokensOut: z.int(),
    cachedInputShare: z.number().nullable().meta({
      description: "Of the input tokens, those that were read from the provider's cache: 0 to 1.",
    }),
    costUsd: usdAmount,
    costPerRequestUsd: usdAmount.nullable(),
  })
  .meta({ id: 'ExperimentArmComparison' });
export type ArmComparison = z.output<typeof armComparison>;

export const shadowComparison = armComparison
  .omit({ share: true, sessions: true, otherModel: true })
  .extend({
    stopped: z.int().meta({
      description:
        'Shadows that were stopped by their time limit or the end of an edge; in no latency.',
    }),
    samplePercent: z
      .int()
      .nullable()
      .meta({ description: 'Null: the experiment has no shadow now.' }),
    dailyUsd: usdAmount.nullable(),
    spentTodayUsd: usdAmount.nullable(),
    skipped: z.array(z.object({ code: z.string(), requests: z.int(), lastAt: instant })).meta({
      description:
        'Refusals by policy or screening, and missing places at the edge (`overloaded`), by error code, since the experiment exists. Requests that are never repeated are counted only in a metric of the edges.',
    }),
  })
  .meta({ id: 'ExperimentShadowComparison' });
export type ShadowComparison = z.output<typeof shadowComparison>;

export const experimentComparison = z
  .object({
    from: instant,
    to: instant,
    records: z.int(),
    truncated: z.boolean().meta({
      description: `Only the latest ${String(COMPARISON_RECORDS)} records are compared; there are older ones.`,
    }),
    arms: z.array(armComparison),
    shadow: shadowComparison.nullable().meta({
      description: 'Null: the experiment has no shadow, and no records of one.',
    }),
  })
  .meta({ id: 'ExperimentComparison' });
export type ExperimentComparison = z.output<typeof experimentComparison>;

const tag = 'Experiments';
const root = '/api/organisations/:organisationId/experiments';

export const listExperiments = endpoint({
  id: 'listExperiments',
  tag,
  summary: 'Experiments',
  method: 'GET',
  path: root,
  access: 'experiments.read',
  query: listQuery(['createdAt', 'name'], {
    search,
    status: z.enum(EXPERIMENT_STATUSES).optional(),
  }),
  response: page(experiment),
});

export const createExperiment = endpoint({
  id: 'createExperiment',
  tag,
  summary: 'Create an experiment; keys that may use the models of all arms take part',
  method: 'POST',
  path: root,
  access: 'experiments.write',
  body: experimentCreate,
  response: experiment,
  status: 201,
});

export const getExperiment = endpoint({
  id: 'getExperiment',
  tag,
  summary: 'One experiment',
  method: 'GET',
  path: `${root}/:experimentId`,
  access: 'experiments.read',
  response: experiment,
  etag: true,
});

export const updateExperiment = endpoint({
  id: 'updateExperiment',
  tag,
  summary: 'Change an experiment; an arm keeps its model, and few conversations change their arm',
  method: 'PATCH',
  path: `${root}/:experimentId`,
  access: 'experiments.write',
  body: experimentPatch,
  response: experiment,
  etag: true,
});

export const deleteExperiment = endpoint({
  id: 'deleteExperiment',
  tag,
  summary: 'Delete an experiment; its usage records keep its id and the arm',
  method: 'DELETE',
  path: `${root}/:experimentId`,
  access: 'experiments.write',
});

export const compareExperiment = endpoint({
  id: 'compareExperiment',
  tag,
  summary: 'Requests, errors, latency, tokens and cost of each arm, from usage records',
  method: 'GET',
  path: `${root}/:experimentId/comparison`,
  access: 'experiments.read',
  query: z.strictObject({
    from: givenInstant.optional().meta({ description: 'Absent: 30 days before `to`.' }),
    to: givenInstant.optional().meta({ description: 'Absent: now.' }),
  }),
  response: experimentComparison,
});
