import { rest } from '@tollgate/contracts';
import type { EntityManager } from 'typeorm';

import { UsageRemoved } from '../../ledger/retention/usage-removed.entity';
import type { Call } from '../../rest/call';
import type { BodyRules } from './body-rules';
import { get, update } from './organisations';

/** The settings of an organisation that its administrators may change. */

export function getSettings(call: Call<typeof rest.getSettings>): Promise<rest.Settings> {
  return settingsOf(call.db, call.params.organisationId);
}

export async function updateSettings(
  call: Call<typeof rest.updateSettings>,
  rules: BodyRules,
): Promise<rest.Settings> {
  const { db, params, body } = call;
  const recordsFrom = await recordsFromOf(db, params.organisationId);
  const after = await update(
    {
      actor: call.actor,
      db,
      params,
      changed: (change) => call.changed(change),
      // Compared under the change's lock. The tag covers the settings only.
      expectMatch: (current) =>
        call.expectMatch(represent(rest.organisation.parse(current), recordsFrom)),
    },
    body,
    rules,
  );
  return represent(after, recordsFrom);
}

async function settingsOf(db: EntityManager, organisationId: string): Promise<rest.Settings> {
  return represent(await get(db, organisationId), await recordsFromOf(db, organisationId));
}

async function recordsFromOf(db: EntityManager, organisationId: string): Promise<string | null> {
  const removed = await db.findOneBy(UsageRemoved, { organisationId });
  return removed?.recordsFrom.toISOString() ?? null;
}

function represent(organisation: rest.Organisation, recordsFrom: string | null): rest.Settings {
  const { timeZone, routingEnabled, openCompatRoutes, routeCompatRequests } = organisation;
  const { tellUpstreamModel, sendOutputBound, traceContent } = organisation;
  const { allowedRegions, retentionDays } = organisation;
  const { tagKeys, refuseUnknownTags, keepDecisions, keepDecisionsDays } = organisation;
  const { responseCache, responseCacheTtlSeconds, responseCachePricePercent } = organisation;
  const { keepRequestBodies, keepAnswerBodies, keptBodiesPercent } = organisation;
  const { keptBodiesOnlyFailed, keptBodiesDays, keptBodiesForOperators } = organisation;
  const { billingName, billingAddress, taxNumber } = organisation;
  return {
    timeZone,
    routingEnabled,
    openCompatRoutes,
    routeCompatRequests,
    tellUpstreamModel,
    sendOutputBound,
    traceContent,
    allowedRegions,
    tagKeys,
    refuseUnknownTags,
    retentionDays,
    keepDecisions,
    keepDecisionsDays,
    responseCache,
    responseCacheTtlSeconds,
    responseCachePricePercent,
    keepRequestBodies,
    keepAnswerBodies,
    keptBodiesPercent,
    keptBodiesOnlyFailed,
    keptBodiesDays,
    keptBodiesForOperators,
    billingName,
    billingAddress,
    taxNumber,
    recordsFrom,
  };
}
