import type { AllowedRegions, OrganisationContext, ResolvedKey } from '@tollgate/contracts/node';

/** Where the requests of a key may be processed. */

/** Of a key's row; a key without a team has null for it. */
export interface RegionColumns {
  regions_of_organisation: string[];
  regions_of_team: string[] | null;
  regions_of_key: string[];
}

export function allowedRegionsOf(row: RegionColumns): AllowedRegions[] {
  return [
    { scopeType: 'ORGANISATION', regions: row.regions_of_organisation },
    { scopeType: 'TEAM', regions: row.regions_of_team ?? [] },
    { scopeType: 'API_KEY', regions: row.regions_of_key },
  ].filter(({ regions }) => regions.length > 0);
}

interface Resolved {
  keys: ResolvedKey[];
  organisations: OrganisationContext[];
}

/**
 * The reply for a policy of an earlier release, which would let every request pass: keys with allowed regions have
 * no grants there, and models with allowed regions are left out.
 */
export function withoutRegions<Reply extends Resolved>(reply: Reply): Reply {
  return {
    ...reply,
    keys: reply.keys.map((key) => {
      if ((key.context?.allowedRegions ?? []).length === 0) return key;
      const context = {
        ...key.context,
        mcpServerIds: [],
        mcpGrants: [],
        passthroughProviderIds: [],
      };
      return { ...key, context, grantedModelIds: [], modelGrants: [] };
    }),
    organisations: reply.organisations.map((organisation) => ({
      ...organisation,
      models: (organisation.models ?? []).filter(
        ({ allowedRegions = [] }) => allowedRegions.length === 0,
      ),
    })),
  };
}
