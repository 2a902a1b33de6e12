import { rest } from '@tollgate/contracts';
import { ApiKeys } from '../../../features/api-keys/api-keys';
import { keysQuery } from '../../../features/api-keys/queries';
import { withReads } from '../../../server/prefetch';
import { organisationScope } from '../../../server/viewer';

export const metadata = { title: 'API keys' };

type ApiKeysProps = {
  params: Promise<{ organisation: string }>;
  searchParams: Promise<Record<string, string | string[] | undefined>>;
};

export default async function ApiKeysPage({ params, searchParams }: ApiKeysProps) {
  const scope = await organisationScope((await params).organisation);
  // The layout says why.
  if (!scope.ok) return null;
  const search = await searchParams;
  const query = keysQuery((name) => {
    const value = search[name];
    return typeof value === 'string' ? value : undefined;
  });
  const organisationId = scope.organisation.id;
  return withReads(
    scope.client,
    (read) => [read(rest.listApiKeys, { params: { organisationId }, query })],
    <ApiKeys />,
  );
}
