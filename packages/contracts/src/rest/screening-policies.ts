import { z } from 'zod';

import {
  SCREENING_ACTIONS,
  SCREENING_LIMITS,
  SCREENING_PLACES,
  SCREENING_SCOPES,
  screeningIdentifier,
  screeningRules,
} from '../screening';
import { endpoint } from './endpoint';
import {
  givenInstant,
  id,
  instant,
  listQuery,
  page,
  patchOf,
  search,
  SWITCH_STATUSES,
} from './fields';

/** Screening policies: rules about the texts of requests and answers. */

export const screeningAttachment = z
  .strictObject({ scopeType: z.enum(SCREENING_SCOPES), scopeId: id })
  .meta({
    id: 'ScreeningAttachment',
    description: 'The scopeId of ORGANISATION is that of the organisation.',
  });
export type ScreeningAttachment = z.output<typeof screeningAttachment>;

const settings = {
  identifier: screeningIdentifier.meta({
    description: 'Its name in records and headers; unique in the organisation.',
  }),
  name: z.string().trim().min(1).max(200),
  attachedTo: z
    .array(screeningAttachment)
    .max(SCREENING_LIMITS.attachments)
    .refine(
      (list) =>
        new Set(list.map(({ scopeType, scopeId }) => `${scopeType} ${scopeId}`)).size ===
        list.length,
      'each once',
    )
    .meta({
      description: 'All policies that apply to a request run. Empty: the policy applies to none.',
    }),
  rules: screeningRules,
  status: z.enum(SWITCH_STATUSES),
};

export const screeningPolicy = z
  .object({
    id,
    organisationId: id,
    ...settings,
    version: z.int().meta({ description: 'Grows with each change of the rules, from 1.' }),
    createdAt: instant,
    updatedAt: instant,
  })
  .meta({ id: 'ScreeningPolicy' });
export type ScreeningPolicy = z.output<typeof screeningPolicy>;

export const screeningPolicyCreate = z
  .strictObject({
    ...settings,
    attachedTo: settings.attachedTo.default([]),
    rules: settings.rules.default([]),
    status: settings.status.default('ACTIVE'),
  })
  .meta({ id: 'ScreeningPolicyCreate' });
export type ScreeningPolicyCreate = z.output<typeof screeningPolicyCreate>;

export const screeningPolicyPatch = patchOf(settings).meta({ id: 'ScreeningPolicyPatch' });
export type ScreeningPolicyPatch = z.output<typeof screeningPolicyPatch>;

export const screeningPolicyVersion = z
  .object({
    version: z.int(),
    rules: screeningRules,
    createdAt: instant,
    createdBy: id.nullable().meta({ description: 'The user who saved it; null: unknown.' }),
  })
  .meta({ id: 'ScreeningPolicyVersion' });
export type ScreeningPolicyVersion = z.output<typeof screeningPolicyVersion>;

export const SCREENING_TEST_CHARACTERS = 20_000;

export const screeningTest = z
  .strictObject({
    rules: screeningRules,
    place: z.enum(SCREENING_PLACES).default('INPUT'),
    text: z.string().max(SCREENING_TEST_CHARACTERS),
  })
  .meta({ id: 'ScreeningTest' });

export const screeningTested = z
  .object({
    blockedBy: z.string().nullable().meta({ description: 'The id of the first rule that blocks.' }),
    text: z.string().meta({ description: 'The text as it goes on, with placeholders.' }),
    hits: z
      .array(
        z.object({
          ruleId: z.string(),
          label: z.string(),
          start: z.int().meta({ description: 'UTF-16 offset in the given text.' }),
          end: z.int(),
        }),
      )
      .max(1_000)
      .meta({ description: 'The first thousand, in the order of the text.' }),
    breaches: z
      .array(z.object({ ruleId: z.string(), reason: z.string() }))
      .meta({ description: 'Rules about models, parameters and JSON schemas that are not kept.' }),
    notAsked: z.array(z.string()).meta({
      description:
        'Ids of the rules that were not tried: those that ask services, and those about models and parameters if the text is no JSON object.',
    }),
  })
  .meta({ id: 'ScreeningTested' });
export type ScreeningTested = z.output<typeof screeningTested>;

/** The longest period of hits. */
export const SCREENING_HITS_DAYS = 31;
/** The most records that are looked through, the newest first. */
export const SCREENING_HITS_RECORDS = 100_000;
/** Of each rule. */
export const SCREENING_HITS_TOP = 10;
export const SCREENING_HITS_VERSIONS = 20;

const counted = z
  .array(z.object({ id: id.nullable(), name: z.string().nullable(), requests: z.int() }))
  .max(SCREENING_HITS_TOP);

export const screeningHits = z
  .object({
    from: instant,
    to: instant,
    complete: z.boolean().meta({
      description: `False: there are more. At most ${SCREENING_HITS_RECORDS} requests with a hit are counted, the newest, and a record names its first rules only if there are very many.`,
    }),
    rules: z.array(
      z.object({
        ruleId: z.string(),
        action: z.enum(SCREENING_ACTIONS).meta({ description: 'When the request was screened.' }),
        requests: z.int().meta({ description: 'In which the rule found something.' }),
        failed: z.int().meta({ description: 'Requests that the rule could not decide.' }),
        versions: z
          .array(z.object({ version: z.int(), requests: z.int(), failed: z.int() }))
          .max(SCREENING_HITS_VERSIONS)
          .meta({ description: 'The newest versions of the policy, newest first.' }),
        apiKeys: counted,
        teams: counted.meta({ description: 'Null: keys without a team.' }),
      }),
    ),
  })
  .meta({ id: 'ScreeningHits' });
export type ScreeningHits = z.output<typeof screeningHits>;

const tag = 'Screening';
const root = '/api/organisations/:organisationId/screening-policies';

export const listScreeningPolicies = endpoint({
  id: 'listScreeningPolicies',
  tag,
  summary: 'Screening policies',
  method: 'GET',
  path: root,
  access: 'screening.read',
  query: listQuery(['createdAt', 'name'], { search, status: z.enum(SWITCH_STATUSES).optional() }),
  response: page(screeningPolicy),
});

export const createScreeningPolicy = endpoint({
  id: 'createScreeningPolicy',
  tag,
  summary: 'Create a screening policy; it applies to what it is attached to',
  method: 'POST',
  path: root,
  access: 'screening.write',
  body: screeningPolicyCreate,
  response: screeningPolicy,
  status: 201,
});

export const getScreeningPolicy = endpoint({
  id: 'getScreeningPolicy',
  tag,
  summary: 'One screening policy',
  method: 'GET',
  path: `${root}/:screeningPolicyId`,
  access: 'screening.read',
  response: screeningPolicy,
  etag: true,
});

export const updateScreeningPolicy = endpoint({
  id: 'updateScreeningPolicy',
  tag,
  summary: 'Change a screening policy; lists replace the old ones',
  method: 'PATCH',
  path: `${root}/:screeningPolicyId`,
  access: 'screening.write',
  body: screeningPolicyPatch,
  response: screeningPolicy,
  etag: true,
});

export const deleteScreeningPolicy = endpoint({
  id: 'deleteScreeningPolicy',
  tag,
  summary: 'Delete a screening policy; its versions go with it',
  method: 'DELETE',
  path: `${root}/:screeningPolicyId`,
  access: 'screening.write',
});

export const listScreeningPolicyVersions = endpoint({
  id: 'listScreeningPolicyVersions',
  tag,
  summary: 'The versions of the rules, newest first',
  method: 'GET',
  path: `${root}/:screeningPolicyId/versions`,
  access: 'screening.read',
  query: listQuery(['version'], {}),
  response: page(screeningPolicyVersion),
});

export const getScreeningHits = endpoint({
  id: 'getScreeningHits',
  tag,
  summary: 'How many requests the rules found something in, by rule, key and team',
  method: 'GET',
  path: `${root}/:screeningPolicyId/hits`,
  access: 'screening.read',
  query: z.object({
    from: givenInstant.optional().meta({ description: 'Absent: a day before `to`.' }),
    to: givenInstant.optional().meta({ description: 'Absent: now.' }),
    version: z.coerce.number().int().min(1).max(2_147_483_647).optional().meta({
      description: 'Only what this version of the policy found. Absent: all versions.',
    }),
  }),
  response: screeningHits,
});

export const testScreening = endpoint({
  id: 'testScreening',
  tag,
  summary: 'Try rules on a text; nothing is stored',
  method: 'POST',
  path: '/api/organisations/:organisationId/screening-test',
  access: 'screening.write',
  body: screeningTest,
  response: screeningTested,
});
