import { z } from 'zod';

import { MOST_TAG_KEYS } from '../attribution';
import { regionSet } from '../regions';
import { clientTagKey } from '../usage-tags';
import { isTimeZone } from '../windows';
import { billingAddress, billingName, billingRecipient, taxNumber } from './billing-recipient';
import { keepDecisions, keepDecisionsDays } from './decisions';
import { endpoint } from './endpoint';
import { id, instant, listQuery, name, page, patchOf, search, slug } from './fields';
import { keptBodiesDays, keptBodiesPercent } from './kept-bodies';
import {
  responseCache,
  responseCachePricePercent,
  responseCacheTtlSeconds,
} from './response-cache';

export const ORGANISATION_STATUSES = ['ACTIVE', 'SUSPENDED', 'ARCHIVED'] as const;
export type OrganisationStatus = (typeof ORGANISATION_STATUSES)[number];

const timeZone = z
  .string()
  .max(64)
  .refine(isTimeZone, 'an IANA time zone, such as "Europe/Berlin"');

export const organisation = z
  .object({
    id,
    name: z.string(),
    slug: z.string(),
    status: z.enum(ORGANISATION_STATUSES),
    timeZone: z.string().meta({
      description: 'IANA time zone in which periods of budgets and quotas begin. Default: UTC.',
    }),
    routingEnabled: z.boolean(),
    openCompatRoutes: z.boolean().meta({
      description:
        'The routes of PROVIDER_A and PROVIDER_D serve models of every provider that has the operation. Default: false, and then a model that no other route could serve cannot be registered.',
    }),
    routeCompatRequests: z.boolean().meta({
      description: 'Routing policies also apply to the compatibility routes. Default: false.',
    }),
    sendOutputBound: z.boolean().meta({
      description:
        "A request without an output bound is sent with the bound that is held for it. Default: true. If false, the model's own maximum is held, and no bound is sent if that maximum is known.",
    }),
    tellUpstreamModel: z.boolean().meta({
      description:
        "Answers have the provider's own name of the model in x-tollgate-upstream-model. Default: false.",
    }),
    traceContent: z.boolean().meta({
      description:
        'Spans of traced requests have prompts, answers and the arguments and results of tools, as screening rules let them pass. Default: false.',
    }),
    allowedRegions: z.array(z.string()).meta({
      description:
        'Regions in which requests may be processed; empty: any. Teams, keys and models may narrow them. Default: empty.',
    }),
    tagKeys: z.array(z.string()).meta({
      description: 'The tags that requests may set in x-tollgate-tags. Default: none.',
    }),
    refuseUnknownTags: z.boolean().meta({
      description:
        'A request with another tag is refused. Default: false; it is served, and x-tollgate-tags-ignored names the tag.',
    }),
    retentionDays: z.int().nullable().meta({
      description: 'How many days usage records are kept; null: for ever. Default: null.',
    }),
    keepDecisions: keepDecisions.meta({
      description:
        'Requests whose decision is kept with checks, limits before and after, and candidates. Default: REFUSED.',
    }),
    keepDecisionsDays: z.int().meta({
      description: 'How many days decisions are kept, at most retentionDays. Default: 7.',
    }),
    responseCache: responseCache.meta({
      description:
        'Answers are kept and used again for equal requests of the organisation. ON_REQUEST: only for requests that ask for it. A key may have its own setting. Default: OFF.',
    }),
    responseCacheTtlSeconds: z.int().meta({
      description: 'The longest that a kept answer is used. Default: 3600.',
    }),
    responseCachePricePercent: z.int().meta({
      description:
        "What a kept answer costs, in percent of its cost at today's price. Default: 0, free.",
    }),
    keepRequestBodies: z.boolean().meta({
      description:
        'Requests are kept, masked and encrypted, for the organisation’s administrators. Default: false.',
    }),
    keepAnswerBodies: z.boolean().meta({
      description:
        'Answers are kept, masked and encrypted, for the organisation’s administrators. Default: false.',
    }),
    keptBodiesPercent: z.int().meta({
      description: 'The share of requests whose bodies are kept, in percent. Default: 100.',
    }),
    keptBodiesOnlyFailed: z.boolean().meta({
      description: 'Of that share, only requests that fail are kept. Default: false.',
    }),
    keptBodiesDays: z.int().meta({
      description: 'How many days bodies are kept, from 1 to 90. Default: 7.',
    }),
    keptBodiesForOperators: z.boolean().meta({
      description:
        'Platform operators may look at bodies too. Only administrators of the organisation switch it on. Default: false.',
    }),
    ...billingRecipient,
    createdAt: instant,
    updatedAt: instant,
  })
  .meta({ id: 'Organisation' });
export type Organisation = z.output<typeof organisation>;

const tagKeys = z
  .array(clientTagKey)
  .max(MOST_TAG_KEYS)
  .refine((keys) => new Set(keys).size === keys.length, 'each key once');
const retentionDays = z.int().min(1).max(36_500).nullable();

const settings = {
  timeZone: timeZone.default('UTC'),
  routingEnabled: z.boolean().default(false),
  openCompatRoutes: z.boolean().default(false),
  routeCompatRequests: z.boolean().default(false),
  tellUpstreamModel: z.boolean().default(false),
  sendOutputBound: z.boolean().default(true),
  traceContent: z.boolean().default(false),
  allowedRegions: regionSet.default([]),
  tagKeys: tagKeys.default([]),
  refuseUnknownTags: z.boolean().default(false),
  retentionDays: retentionDays.default(null),
  keepDecisions: keepDecisions.default('REFUSED'),
  keepDecisionsDays: keepDecisionsDays.default(7),
  responseCache: responseCache.default('OFF'),
  responseCacheTtlSeconds: responseCacheTtlSeconds.default(3_600),
  responseCachePricePercent: responseCachePricePercent.default(0),
  keepRequestBodies: z.boolean().default(false),
  keepAnswerBodies: z.boolean().default(false),
  keptBodiesPercent: keptBodiesPercent.default(100),
  keptBodiesOnlyFailed: z.boolean().default(false),
  keptBodiesDays: keptBodiesDays.default(7),
  keptBodiesForOperators: z.boolean().default(false),
  billingName: billingName.default(''),
  billingAddress: billingAddress.default(''),
  taxNumber: taxNumber.default(''),
};

export const organisationCreate = z
  .strictObject({ name, slug, ...settings })
  .meta({ id: 'OrganisationCreate' });
export type OrganisationCreate = z.output<typeof organisationCreate>;

const changeable = {
  name,
  timeZone,
  routingEnabled: z.boolean(),
  openCompatRoutes: z.boolean(),
  routeCompatRequests: z.boolean(),
  tellUpstreamModel: z.boolean(),
  sendOutputBound: z.boolean(),
  traceContent: z.boolean(),
  allowedRegions: regionSet,
  tagKeys,
  refuseUnknownTags: z.boolean(),
  retentionDays,
  keepDecisions,
  keepDecisionsDays,
  responseCache,
  responseCacheTtlSeconds,
  responseCachePricePercent,
  keepRequestBodies: z.boolean(),
  keepAnswerBodies: z.boolean(),
  keptBodiesPercent,
  keptBodiesOnlyFailed: z.boolean(),
  keptBodiesDays,
  keptBodiesForOperators: z.boolean(),
  billingName,
  billingAddress,
  taxNumber,
};

/**
 * An organisation's own settings; only the platform changes the slug, because links depend on it.
 */
export const organisationPatch = patchOf(changeable).meta({ id: 'OrganisationPatch' });
export const organisationAdminPatch = patchOf({ ...changeable, slug }).meta({
  id: 'OrganisationAdminPatch',
});
export type OrganisationPatch = z.output<typeof organisationAdminPatch>;

const tag = 'Organisations';
const adminPath = '/api/admin/organisations';
const read = 'platform.organisations.read';
const write = 'platform.organisations.write';

export const listOrganisations = endpoint({
  id: 'listOrganisations',
  tag,
  summary: 'Organisations of the platform',
  method: 'GET',
  path: adminPath,
  access: read,
  query: listQuery(['createdAt', 'name', 'slug'], {
    search,
    status: z.enum(ORGANISATION_STATUSES).optional(),
  }),
  response: page(organisation),
});

export const createOrganisation = endpoint({
  id: 'createOrganisation',
  tag,
  summary: 'Create an organisation',
  method: 'POST',
  path: adminPath,
  access: write,
  body: organisationCreate,
  response: organisation,
  status: 201,
});

export const getOrganisation = endpoint({
  id: 'getOrganisation',
  tag,
  summary: 'One organisation',
  method: 'GET',
  path: `${adminPath}/:organisationId`,
  access: read,
  response: organisation,
  etag: true,
});

export const updateOrganisation = endpoint({
  id: 'updateOrganisation',
  tag,
  summary: 'Change an organisation',
  method: 'PATCH',
  path: `${adminPath}/:organisationId`,
  access: write,
  body: organisationAdminPatch,
  response: organisation,
  etag: true,
});

export const suspendOrganisation = endpoint({
  id: 'suspendOrganisation',
  tag,
  summary: 'Suspend an organisation: its keys and users are refused until it is resumed',
  method: 'POST',
  path: `${adminPath}/:organisationId/suspend`,
  access: write,
  response: organisation,
  etag: true,
});

export const resumeOrganisation = endpoint({
  id: 'resumeOrganisation',
  tag,
  summary: 'Resume a suspended organisation',
  method: 'POST',
  path: `${adminPath}/:organisationId/resume`,
  access: write,
  response: organisation,
  etag: true,
});

export const archiveOrganisation = endpoint({
  id: 'archiveOrganisation',
  tag,
  summary: 'Archive an organisation permanently: its keys are revoked, its records are kept',
  method: 'POST',
  path: `${adminPath}/:organisationId/archive`,
  access: write,
  response: organisation,
  etag: true,
});

export const getOwnOrganisation = endpoint({
  id: 'getOwnOrganisation',
  tag,
  summary: 'Your own organisation',
  method: 'GET',
  path: '/api/organisations/:organisationId',
  access: 'organisation.read',
  response: organisation,
  etag: true,
});

export const updateOwnOrganisation = endpoint({
  id: 'updateOwnOrganisation',
  tag,
  summary: 'Change the name and the settings of the organisation',
  method: 'PATCH',
  path: '/api/organisations/:organisationId',
  access: 'organisation.update',
  body: organisationPatch,
  response: organisation,
  etag: true,
});
