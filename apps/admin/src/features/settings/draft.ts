import type { DecisionsKept, ResponseCacheMode, rest } from '@tollgate/contracts';

import { linesOf, numberOrNull, regionsOf, regionsText } from '../../resource/typed';

// The draft of an organisation's name and settings.

export interface SettingsDraft {
  readonly name: string;
  readonly timeZone: string;
  readonly routingEnabled: boolean;
  readonly openCompatRoutes: boolean;
  readonly routeCompatRequests: boolean;
  readonly tellUpstreamModel: boolean;
  readonly sendOutputBound: boolean;
  readonly traceContent: boolean;
  /** As typed. */
  readonly allowedRegions: string;
  /** Keys, one per line. */
  readonly tagKeys: string;
  readonly refuseUnknownTags: boolean;
  /** Days; empty: forever. */
  readonly retentionDays: string;
  readonly keepDecisions: DecisionsKept;
  /** As typed. */
  readonly keepDecisionsDays: string;
  readonly responseCache: ResponseCacheMode;
  /** As typed. */
  readonly responseCacheTtlSeconds: string;
  readonly responseCachePricePercent: string;
  readonly keepRequestBodies: boolean;
  readonly keepAnswerBodies: boolean;
  /** As typed. */
  readonly keptBodiesPercent: string;
  readonly keptBodiesOnlyFailed: boolean;
  readonly keptBodiesDays: string;
  readonly keptBodiesForOperators: boolean;
  readonly billingName: string;
  readonly billingAddress: string;
  readonly taxNumber: string;
}

export const NEW_SETTINGS: SettingsDraft = {
  name: '',
  timeZone: 'UTC',
  routingEnabled: false,
  openCompatRoutes: false,
  routeCompatRequests: false,
  tellUpstreamModel: false,
  sendOutputBound: true,
  traceContent: false,
  allowedRegions: '',
  tagKeys: '',
  refuseUnknownTags: false,
  retentionDays: '',
  keepDecisions: 'REFUSED',
  keepDecisionsDays: '7',
  responseCache: 'OFF',
  responseCacheTtlSeconds: '3600',
  responseCachePricePercent: '0',
  keepRequestBodies: false,
  keepAnswerBodies: false,
  keptBodiesPercent: '100',
  keptBodiesOnlyFailed: false,
  keptBodiesDays: '7',
  keptBodiesForOperators: false,
  billingName: '',
  billingAddress: '',
  taxNumber: '',
};

export function settingsDraft(organisation: rest.Organisation): SettingsDraft {
  const { name, timeZone, routingEnabled, openCompatRoutes, routeCompatRequests } = organisation;
  const { tellUpstreamModel, sendOutputBound, traceContent, retentionDays } = organisation;
  return {
    name,
    timeZone,
    routingEnabled,
    openCompatRoutes,
    routeCompatRequests,
    tellUpstreamModel,
    sendOutputBound,
    traceContent,
    allowedRegions: regionsText(organisation.allowedRegions),
    tagKeys: organisation.tagKeys.join('\n'),
    refuseUnknownTags: organisation.refuseUnknownTags,
    retentionDays: retentionDays === null ? '' : String(retentionDays),
    keepDecisions: organisation.keepDecisions,
    keepDecisionsDays: String(organisation.keepDecisionsDays),
    responseCache: organisation.responseCache,
    responseCacheTtlSeconds: String(organisation.responseCacheTtlSeconds),
    responseCachePricePercent: String(organisation.responseCachePricePercent),
    keepRequestBodies: organisation.keepRequestBodies,
    keepAnswerBodies: organisation.keepAnswerBodies,
    keptBodiesPercent: String(organisation.keptBodiesPercent),
    keptBodiesOnlyFailed: organisation.keptBodiesOnlyFailed,
    keptBodiesDays: String(organisation.keptBodiesDays),
    keptBodiesForOperators: organisation.keptBodiesForOperators,
    billingName: organisation.billingName,
    billingAddress: organisation.billingAddress,
    taxNumber: organisation.taxNumber,
  };
}

export function settingsBody(draft: SettingsDraft) {
  const { name, timeZone, routingEnabled, openCompatRoutes, routeCompatRequests } = draft;
  const { tellUpstreamModel, sendOutputBound, traceContent } = draft;
  return {
    name,
    timeZone,
    routingEnabled,
    openCompatRoutes,
    routeCompatRequests,
    tellUpstreamModel,
    sendOutputBound,
    traceContent,
    allowedRegions: regionsOf(draft.allowedRegions),
    tagKeys: linesOf(draft.tagKeys),
    refuseUnknownTags: draft.refuseUnknownTags,
    retentionDays: numberOrNull(draft.retentionDays),
    keepDecisions: draft.keepDecisions,
    keepDecisionsDays: numberOrNull(draft.keepDecisionsDays) ?? Number.NaN,
    responseCache: draft.responseCache,
    responseCacheTtlSeconds: numberOrNull(draft.responseCacheTtlSeconds) ?? Number.NaN,
    responseCachePricePercent: numberOrNull(draft.responseCachePricePercent) ?? Number.NaN,
    keepRequestBodies: draft.keepRequestBodies,
    keepAnswerBodies: draft.keepAnswerBodies,
    keptBodiesPercent: numberOrNull(draft.keptBodiesPercent) ?? Number.NaN,
    keptBodiesOnlyFailed: draft.keptBodiesOnlyFailed,
    keptBodiesDays: numberOrNull(draft.keptBodiesDays) ?? Number.NaN,
    keptBodiesForOperators: draft.keptBodiesForOperators,
    billingName: draft.billingName.trim(),
    billingAddress: draft.billingAddress.trim(),
    taxNumber: draft.taxNumber.trim(),
  };
}
