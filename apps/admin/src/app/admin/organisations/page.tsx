import { rest } from '@tollgate/contracts';

import { Organisations } from '../../../features/organisations/organisations';
import { listInput } from '../../../resource/list-input';
import { getterOf } from '../../../server/pages';
import { withReads } from '../../../server/prefetch';
import { platformScope } from '../../../server/viewer';
import { FailureInFrame } from '../../../shell/failure-page';

export const metadata = { title: 'Organisations' };

interface OrganisationsProps {
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}

export default async function OrganisationsPage({ searchParams }: OrganisationsProps) {
  const scope = await platformScope();
  if (!scope.ok) return <FailureInFrame error={scope.error} />;
  const query = listInput(rest.listOrganisations, getterOf(await searchParams));
  return withReads(
    scope.client,
    (read) => [read(rest.listOrganisations, { query })],
    <Organisations />,
  );
}
