'use client';

import { rest } from '@tollgate/contracts';

import { useRead } from '../../api/provider';
import { Badge } from '../../design/badge';
import { plural } from '../../format/numbers';
import { useOrganisation } from '../../shell/scope';
import { ProviderLink } from '../models/provider-link';
import { ScopeName } from '../pickers/scope-name';
import { grantWords } from './grants-draft';
import { USABLE_QUERY } from './queries';

const GRANTS_SHOWN = 12;

/** The grants of a key, and how many models they currently match. */
export function ModelsOfKey({ apiKey }: { apiKey: rest.ApiKey }) {
  const { modelIds, modelGrants } = apiKey;
  if (grantWords(apiKey) === undefined) {
    return <Badge tone="warn">None: every request is refused</Badge>;
  }
  return (
    <>
      <ul>
        {modelGrants.slice(0, GRANTS_SHOWN).map((grant) => (
          <li key={JSON.stringify(grant)}>
            <StandingGrant grant={grant} />
          </li>
        ))}
        <AndMore count={modelGrants.length - GRANTS_SHOWN} />
        {modelIds.slice(0, GRANTS_SHOWN).map((id) => (
          <li key={id}>
            <ScopeName scope={{ type: 'MODEL', id }} bare />
          </li>
        ))}
        <AndMore count={modelIds.length - GRANTS_SHOWN} />
      </ul>
      <UsableCount apiKeyId={apiKey.id} />
    </>
  );
}

function AndMore({ count }: { count: number }) {
  return count > 0 ? <li className="text-ink-faint">and {String(count)} more</li> : null;
}

function StandingGrant({ grant }: { grant: rest.ModelGrant }) {
  switch (grant.kind) {
    case 'ALL':
      return 'All models';
    case 'PROVIDER':
      return (
        <>
          All models of <ProviderLink providerId={grant.providerId} />
        </>
      );
    case 'PATTERN':
      return (
        <>
          Names like <code className="break-all">{grant.pattern}</code>
        </>
      );
  }
}

function UsableCount({ apiKeyId }: { apiKeyId: string }) {
  const { id: organisationId } = useOrganisation();
  const { data } = useRead(rest.listUsableModels, {
    params: { organisationId, apiKeyId },
    query: USABLE_QUERY,
  });
  if (data === undefined) return null;
  if (data.total === 0) return <Badge tone="warn">gives no model now</Badge>;
  return <p className="text-sm text-ink-soft">Currently {plural(data.total, 'model')}.</p>;
}
