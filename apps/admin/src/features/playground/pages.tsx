import { rest } from '@tollgate/contracts';
import { cookies } from 'next/headers';

import type { RestClient } from '../../api/rest-client';
import type { OrganisationPage, PageContext } from '../../server/pages';
import { runtime } from '../../server/runtime';
import { readSession } from '../../server/session';
import { McpPlayground } from './mcp/mcp-playground';
import { Playground } from './playground';

export const playgroundPage: OrganisationPage = {
  reads: () => [],
  view: async (context) => {
    if (context.get('tab') === 'mcp') {
      return (
        <McpPlayground key={`${context.organisationId} mcp`} firstServer={context.get('server')} />
      );
    }
    const allowed = await allowedModels(context);
    const first = context.get('model') ?? (await firstModel(context, allowed));
    // A conversation belongs to one organisation.
    return <Playground key={context.organisationId} firstModel={first} allowed={allowed} />;
  },
};

/** Only the role USER is restricted to granted models. */
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
      // Sending a message shows the same refusal.
      () => undefined,
    );
}

/** The first model by name. If this fails, the list on the page shows why. */
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
