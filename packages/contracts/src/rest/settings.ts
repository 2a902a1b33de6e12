import { z } from 'zod';

import { endpoint } from './endpoint';
import { instant } from './fields';
import { organisation, organisationPatch } from './organisations';

/** Settings of an organisation that its administrators control. */
export const settings = organisation
  .pick({
    timeZone: true,
    routingEnabled: true,
    openCompatRoutes: true,
    routeCompatRequests: true,
    tellUpstreamModel: true,
    sendOutputBound: true,
    traceContent: true,
    allowedRegions: true,
    tagKeys: true,
    refuseUnknownTags: true,
    retentionDays: true,
    keepDecisions: true,
    keepDecisionsDays: true,
    responseCache: true,
    responseCacheTtlSeconds: true,
    responseCachePricePercent: true,
    keepRequestBodies: true,
    keepAnswerBodies: true,
    keptBodiesPercent: true,
    keptBodiesOnlyFailed: true,
    keptBodiesDays: true,
    keptBodiesForOperators: true,
    billingName: true,
    billingAddress: true,
    taxNumber: true,
  })
  .extend({
    recordsFrom: instant.nullable().meta({
      description: 'Usage records before this instant have been removed by retention; null: none.',
    }),
  })
  .meta({ id: 'Settings' });
export type Settings = z.output<typeof settings>;

const { shape } = organisationPatch;

export const settingsPatch = z
  .strictObject({
    timeZone: shape.timeZone,
    routingEnabled: shape.routingEnabled,
    openCompatRoutes: shape.openCompatRoutes,
    routeCompatRequests: shape.routeCompatRequests,
    tellUpstreamModel: shape.tellUpstreamModel,
    sendOutputBound: shape.sendOutputBound,
    traceContent: shape.traceContent,
    allowedRegions: shape.allowedRegions,
    tagKeys: shape.tagKeys,
    refuseUnknownTags: shape.refuseUnknownTags,
    retentionDays: shape.retentionDays,
    keepDecisions: shape.keepDecisions,
    keepDecisionsDays: shape.keepDecisionsDays,
    responseCache: shape.responseCache,
    responseCacheTtlSeconds: shape.responseCacheTtlSeconds,
    responseCachePricePercent: shape.responseCachePricePercent,
    keepRequestBodies: shape.keepRequestBodies,
    keepAnswerBodies: shape.keepAnswerBodies,
    keptBodiesPercent: shape.keptBodiesPercent,
    keptBodiesOnlyFailed: shape.keptBodiesOnlyFailed,
    keptBodiesDays: shape.keptBodiesDays,
    keptBodiesForOperators: shape.keptBodiesForOperators,
    billingName: shape.billingName,
    billingAddress: shape.billingAddress,
    taxNumber: shape.taxNumber,
  })
  .refine((value) => Object.keys(value).length > 0, 'nothing to change')
  .meta({ id: 'SettingsPatch' });

const path = '/api/organisations/:organisationId/settings';

export const getSettings = endpoint({
  id: 'getSettings',
  tag: 'Settings',
  summary: 'The settings of the organisation',
  method: 'GET',
  path,
  access: 'organisation.read',
  response: settings,
  etag: true,
});

export const updateSettings = endpoint({
  id: 'updateSettings',
  tag: 'Settings',
  summary: 'Change settings of the organisation',
  method: 'PATCH',
  path,
  access: 'organisation.update',
  body: settingsPatch,
  response: settings,
  etag: true,
});

export const clearResponseCache = endpoint({
  id: 'clearResponseCache',
  tag: 'Settings',
  summary: 'Delete all kept answers of the organisation from the response cache',
  method: 'POST',
  path: '/api/organisations/:organisationId/response-cache/clear',
  access: 'organisation.update',
  response: z
    .object({
      generation: z.int().meta({
        description: 'The number of times that the answers have been deleted.',
      }),
    })
    .meta({ id: 'ResponseCacheCleared' }),
});
