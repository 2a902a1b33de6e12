import { regionsAllowedBy, rest, type RegionRule } from '@tollgate/contracts';

import { useRead } from '../../api/provider';
import { useOrganisation } from '../../shell/scope';

const SCOPES: Readonly<Record<string, string>> = {
  ORGANISATION: 'organisation',
  TEAM: 'team',
  API_KEY: 'key',
};

/** Where requests of a key may be processed: what its organisation, its team and itself allow together. */
export function RegionsOfKey({ apiKey }: { apiKey: rest.ApiKey }) {
  const { id: organisationId } = useOrganisation();
  const { teamId, allowedRegions } = apiKey;
  const settings = useRead(rest.getSettings, { params: { organisationId } });
  const team = useRead(
    rest.getTeam,
    { params: { organisationId, teamId: teamId ?? '' } },
    { enabled: teamId !== null },
  );
  if (settings.data === undefined || (teamId !== null && team.data === undefined)) {
    return <span className="text-ink-soft">{settings.error || team.error ? 'unknown' : '…'}</span>;
  }
  const rules: readonly RegionRule[] = [
    { scopeType: 'ORGANISATION', regions: settings.data.allowedRegions },
    { scopeType: 'TEAM', regions: team.data?.allowedRegions ?? [] },
    { scopeType: 'API_KEY', regions: allowedRegions },
  ].filter(({ regions }) => regions.length > 0);
  const allowed = regionsAllowedBy(rules);
  if (allowed === undefined) return <>Any, as far as the model allows it</>;
  const of = rules.map(
    ({ scopeType, regions }) => `${SCOPES[scopeType] ?? scopeType}: ${regions.join(', ')}`,
  );
  return (
    <>
      {allowed.length === 0 ? 'None: every request is refused' : allowed.join(', ')}
      <span className="block text-sm text-ink-soft">From {of.join('; ')}</span>
    </>
  );
}
