import { rest } from '@tollgate/contracts';
import { cookies } from 'next/headers';

import type { RestClient } from '../../api/rest-client';
import type { OrganisationPage, PageContext } from '../../server/pages';
import { runtime } from '../../server/runtime';
import { readSession } from '../../server/session';
import { McpPlayground } from './mcp/mcp-playground';
import { cheapest } from './model-price';
import { Playground } from './playground';
import { settingsIn } from './settings-address';

export const playgroundPage: OrganisationPage = {
  reads: () => [],
  view: async (context) => {
    if (context.get('tab') === 'mcp') {
      return (
        <McpPlayground key={`${context.organisationId} mcp`} firstServer={context.get('server')} />
      );
    }
    const allowed = await allowedModels(context);
    const { get } = context;
    const usual = get('model') === undefined ? await usualModel(context, allowed) : undefined;
    // A conversation belongs to one organisation.
    return (
      <Playground key={context.organisationId} initial={settingsIn(get, usual)} allowed={allowed} />
    );
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

/** Models that are looked at for the cheapest one. */
const MOST_PAGES = 5;

/** The cheapest model that the user may use. If this fails, the list on the page shows why. */
async function usualModel(
  { client, organisationId }: { client: RestClient; organisationId: string },
  allowed: readonly string[] | undefined,
): Promise<string | undefined> {
  const models: rest.Model[] = [];
  let cursor: string | null | undefined;
  try {
    for (let page = 0; page < MOST_PAGES && cursor !== null; page += 1) {
      const query = {
        limit: rest.PAGE_LIMIT,
        sort: 'name',
        status: 'ACTIVE',
        ...(cursor !== undefined && { cursor }),
      } as const;
      const { data, nextCursor } = await client.call(rest.listModels, {
        params: { organisationId },
        query,
      });
      models.push(...data.filter(({ id }) => allowed === undefined || allowed.includes(id)));
      cursor = nextCursor;
    }
  } catch {
    return undefined;
  }
  return cheapest(models)?.name;
}
