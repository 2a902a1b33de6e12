import { rest } from '@tollgate/contracts';
import { Organisations } from '../../../features/organisations/organisations';
import { organisationsQuery } from '../../../features/organisations/queries';
import { withReads } from '../../../server/prefetch';
import { platformScope } from '../../../server/viewer';

export const metadata = { title: 'Organisations' };

type OrganisationsProps = { searchParams: Promise<Record<string, string | string[] | undefined>> };

export default async function OrganisationsPage({ searchParams }: OrganisationsProps) {
  const scope = await platformScope();
  // The layout says why.
  if (!scope.ok) return null;
  const search = await searchParams;
  const query = organisationsQuery((name) => {
    const value = search[name];
    return typeof value === 'string' ? value : undefined;
  });
  return withReads(
    scope.client,
    (read) => [read(rest.listOrganisations, { query })],
    <Organisations />,
  );
}
