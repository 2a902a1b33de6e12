import { rest } from '@tollgate/contracts';
import { cookies } from 'next/headers';
import type { RestClient } from '../../api/rest-client';
import type { OrganisationPage, PageContext } from '../../server/pages';
import { runtime } from '../../server/runtime';
import { readSession } from '../../server/session';
import { Playground } from './playground';

export const playgroundPage: OrganisationPage = {
  reads: () => [],
  view: async (context) => {
    const allowed = await allowedModels(context);
    const first = context.get('model') ?? (await firstModel(context, allowed));
    // Another organisation's conversation is not this one's.
    return <Playground key={context.organisationId} firstModel={first} allowed={allowed} />;
  },
};

/** What a USER's key may use; every other role's may use all models. */
async function allowedModels({
  me,
  organisationId,
}: PageContext): Promise<readonly string[] | undefined> {
  if (me.role !== 'USER') return undefined;
  const { access } = readSession((await cookies()).toString());
  if (access === undefined) return undefined;
  return runtime()
    .playgroundKeys.get(access, organisationId)
    .then(
      ({ modelIds }) => modelIds,
      // The first question will meet the same refusal, and show it.
      () => undefined,
    );
}

/** The first by name. When it cannot be read, the list in the page says why. */
async function firstModel(
  { client, organisationId }: { client: RestClient; organisationId: string },
  allowed: readonly string[] | undefined,
): Promise<string | undefined> {
  const limit = allowed === undefined ? 1 : rest.PAGE_LIMIT;
  const query = { limit, sort: 'name', status: 'ACTIVE', type: 'chat' } as const;
  return client.call(rest.listModels, { params: { organisationId }, query }).then(
    ({ data }) => data.find(({ id }) => allowed === undefined || allowed.includes(id))?.name,
    () => undefined,
  );
}
