import { z } from 'zod';

import { regionName } from '../regions';
import { SCREENING_LIMITS, SCREENING_PLACES, screeningServiceIdentifier } from '../screening';
import { endpoint } from './endpoint';
import { id, instant, listQuery, name, page, patchOf, search } from './fields';
import { mcpAuthBearer, mcpAuthHeader, mcpAuthNone } from './mcp-auth';
import { upstreamSecret } from './provider-keys';
import { SCREENING_TEST_CHARACTERS } from './screening-policies';

/** Services that rules of the kind EXTERNAL ask. */

/** The most services of an organisation. */
export const MAX_SCREENING_SERVICES = 20;
export const SCREENING_CODE_CHARACTERS = 50_000;

const modelName = z.string().trim().min(1).max(200);
const label = z.string().regex(/^[A-Z][A-Z0-9_]{0,63}$/, 'capital letters, digits and _ only');

export const screeningProtocol = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('TOLLGATE_HTTP') }),
    z.strictObject({
      type: z.literal('TOLLGATE_GRPC'),
      streams: z.boolean().default(false).meta({
        description:
          'Whether the service also has CheckStream, which judges streamed answers piece by piece. False: they are withheld until their end.',
      }),
    }),
    z.strictObject({
      type: z.literal('PRESIDIO'),
      language: z
        .string()
        .regex(/^[a-z]{2,3}$/, 'a language code, as en')
        .default('en'),
      scoreThreshold: z.number().min(0).max(1).default(0.5),
      entities: z.array(label).min(1).max(100).nullable().default(null).meta({
        description: 'Null: all that the analyzer knows.',
      }),
    }),
    z.strictObject({
      type: z.literal('OPENAI_MODERATION'),
      model: modelName.default('omni-moderation-latest'),
      thresholds: z
        .record(z.string().min(1).max(100), z.number().min(0).max(1))
        .refine((given) => Object.keys(given).length <= 50, 'at most 50 categories')
        .nullable()
        .default(null)
        .meta({
          description:
            'Scores by category from which a text is a hit. Null: what the service flags.',
        }),
    }),
    z.strictObject({
      type: z.literal('GENERIC_GUARDRAIL'),
      parameters: z
        .record(
          z.string().min(1).max(100),
          z.union([z.string().max(1000), z.number(), z.boolean()]),
        )
        .refine((given) => Object.keys(given).length <= 50, 'at most 50')
        .default({})
        .meta({ description: 'Sent as additional_provider_specific_params.' }),
    }),
    z.strictObject({
      type: z.literal('CHAT_JUDGE'),
      model: modelName,
      instructions: z.string().trim().min(1).max(8_000).meta({
        description: 'What the model is to look for. The form of its answer is added.',
      }),
      maxOutputTokens: z.int().min(16).max(8_192).default(512),
    }),
    z.strictObject({
      type: z.literal('JAVASCRIPT'),
      code: z.string().min(1).max(SCREENING_CODE_CHARACTERS).meta({
        description:
          'Defines a function check, which gets the fields of CheckRequest and returns those of CheckReply.',
      }),
    }),
  ])
  .meta({
    id: 'ScreeningProtocol',
    description:
      "TOLLGATE_HTTP and TOLLGATE_GRPC: the gateway's own. PRESIDIO: its analyzer. OPENAI_MODERATION: POST …/moderations. GENERIC_GUARDRAIL: LiteLLM's generic guardrail API. CHAT_JUDGE: a model behind POST …/chat/completions. JAVASCRIPT: code that runs in the gateway, in a sandbox without network.",
  });
export type ScreeningProtocol = z.output<typeof screeningProtocol>;

export const screeningAuth = z
  .discriminatedUnion('type', [mcpAuthNone, mcpAuthBearer, mcpAuthHeader])
  .meta({
    id: 'ScreeningAuth',
    description:
      'NONE: nothing is sent. BEARER: the secret as a bearer token. HEADER: the secret within a header.',
  });
export type ScreeningAuth = z.output<typeof screeningAuth>;

export const screeningService = z
  .object({
    id,
    organisationId: id,
    identifier: z.string().meta({ description: 'Its name in rules. It never changes.' }),
    name: z.string(),
    url: z.string().nullable().meta({ description: 'Null for JAVASCRIPT.' }),
    protocol: screeningProtocol,
    auth: screeningAuth,
    region: z.string().nullable().meta({ description: 'Null: unknown, so outside of every set.' }),
    secretPreview: z.string().nullable().meta({ description: 'Null: it has no secret.' }),
    createdAt: instant,
    updatedAt: instant,
  })
  .meta({ id: 'ScreeningService' });
export type ScreeningService = z.output<typeof screeningService>;

const settings = {
  name,
  url: z
    .url({ protocol: /^https?$/ })
    .max(500)
    .meta({
      description:
        'Where the paths of the protocol begin, as https://host/v1 for OPENAI_MODERATION and CHAT_JUDGE. TOLLGATE_HTTP: the whole address. TOLLGATE_GRPC: the host and port only.',
    }),
  protocol: screeningProtocol,
  auth: screeningAuth,
  region: regionName.nullable().meta({
    description:
      'Where the service processes texts, by your own name. Null: unknown, so requests with allowed regions are refused. Code runs in the gateway and needs none.',
  }),
  secret: upstreamSecret.meta({
    description: 'What auth sends. Stored encrypted, and shown as a preview only.',
  }),
};

export const screeningServiceCreate = z
  .strictObject({
    ...settings,
    identifier: screeningServiceIdentifier,
    url: settings.url.optional().meta({ description: 'Absent for JAVASCRIPT only.' }),
    auth: settings.auth
      .optional()
      .meta({ description: 'Absent: BEARER with a secret, else NONE.' }),
    region: settings.region.default(null),
    secret: settings.secret.optional(),
  })
  .meta({ id: 'ScreeningServiceCreate' });
export type ScreeningServiceCreate = z.output<typeof screeningServiceCreate>;

export const screeningServicePatch = patchOf({
  ...settings,
  secret: settings.secret.nullable().meta({ description: 'Null removes it.' }),
}).meta({ id: 'ScreeningServicePatch' });
export type ScreeningServicePatch = z.output<typeof screeningServicePatch>;

export const screeningCodeTest = z
  .strictObject({
    code: z.string().min(1).max(SCREENING_CODE_CHARACTERS),
    place: z.enum(SCREENING_PLACES).default('INPUT'),
    text: z.string().max(SCREENING_TEST_CHARACTERS),
    parameters: z.record(z.string(), z.unknown()).default({}),
    model: modelName.optional().meta({ description: 'The model that the request asks for.' }),
    routeTo: z.array(modelName).max(SCREENING_LIMITS.routes).default([]),
  })
  .meta({ id: 'ScreeningCodeTest' });

export const screeningCodeTested = z
  .object({
    error: z.string().nullable().meta({ description: 'Why there is no verdict; null: there is.' }),
    verdict: z.enum(['PASS', 'BLOCK']).nullable(),
    message: z.string().nullable(),
    findings: z.array(
      z.object({
        start: z.int().meta({ description: 'UTF-16 offset in the given text.' }),
        end: z.int(),
        label: z.string(),
      }),
    ),
    parameters: z.record(z.string(), z.unknown()),
    model: z.string().nullable().meta({ description: 'The model that it chooses.' }),
    tags: z.record(z.string(), z.string()).meta({ description: 'The tags that it sets.' }),
    logs: z.array(z.string()).meta({ description: 'What the code wrote with console.log.' }),
    ms: z.int(),
  })
  .meta({ id: 'ScreeningCodeTested' });
export type ScreeningCodeTested = z.output<typeof screeningCodeTested>;

const tag = 'Screening';
const root = '/api/organisations/:organisationId/screening-services';

export const listScreeningServices = endpoint({
  id: 'listScreeningServices',
  tag,
  summary: 'Services that rules of the kind EXTERNAL ask',
  method: 'GET',
  path: root,
  access: 'screening.read',
  query: listQuery(['createdAt', 'name'], { search }),
  response: page(screeningService),
});

export const createScreeningService = endpoint({
  id: 'createScreeningService',
  tag,
  summary: 'Add a screening service',
  method: 'POST',
  path: root,
  access: 'screening.write',
  body: screeningServiceCreate,
  response: screeningService,
  status: 201,
});

export const getScreeningService = endpoint({
  id: 'getScreeningService',
  tag,
  summary: 'One screening service',
  method: 'GET',
  path: `${root}/:screeningServiceId`,
  access: 'screening.read',
  response: screeningService,
  etag: true,
});

export const updateScreeningService = endpoint({
  id: 'updateScreeningService',
  tag,
  summary: 'Change a screening service; every policy with external rules gets a new version',
  method: 'PATCH',
  path: `${root}/:screeningServiceId`,
  access: 'screening.write',
  body: screeningServicePatch,
  response: screeningService,
  etag: true,
});

export const deleteScreeningService = endpoint({
  id: 'deleteScreeningService',
  tag,
  summary: 'Delete a screening service that no rule asks',
  method: 'DELETE',
  path: `${root}/:screeningServiceId`,
  access: 'screening.write',
});

export const testScreeningCode = endpoint({
  id: 'testScreeningCode',
  tag,
  summary: 'Run the code of a service on a text; nothing is stored',
  method: 'POST',
  path: '/api/organisations/:organisationId/screening-code-test',
  access: 'screening.write',
  body: screeningCodeTest,
  response: screeningCodeTested,
});
