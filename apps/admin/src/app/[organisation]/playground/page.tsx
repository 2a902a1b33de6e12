import { rest } from '@tollgate/contracts';
import { cookies } from 'next/headers';
import { Playground } from '../../../features/playground/playground';
import { runtime } from '../../../server/runtime';
import { readSession } from '../../../server/session';
import { organisationScope, type Scope } from '../../../server/viewer';

export const metadata = { title: 'Playground' };

type PlaygroundProps = {
  params: Promise<{ organisation: string }>;
  searchParams: Promise<{ model?: string | string[] }>;
};

export default async function PlaygroundPage({ params, searchParams }: PlaygroundProps) {
  const scope = await organisationScope((await params).organisation);
  // The layout says why.
  if (!scope.ok) return null;
  const { model } = await searchParams;
  const named = typeof model === 'string' ? model : undefined;
  const allowed = await allowedModels(scope);
  const first = named ?? (await firstModel(scope, allowed));
  return <Playground firstModel={first} allowed={allowed} />;
}

/** What a USER's key may use; every other role's may use all models. */
async function allowedModels(scope: Scope): Promise<readonly string[] | undefined> {
  if (scope.me.role !== 'USER') return undefined;
  const { access } = readSession((await cookies()).toString());
  if (access === undefined) return undefined;
  return runtime()
    .playgroundKeys.get(access, scope.organisation.id)
    .then(
      ({ modelIds }) => modelIds,
      // The first question will meet the same refusal, and show it.
      () => undefined,
    );
}

/** The first by name. When it cannot be read, the list in the page says why. */
async function firstModel(
  { client, organisation }: Scope,
  allowed: readonly string[] | undefined,
): Promise<string | undefined> {
  const limit = allowed === undefined ? 1 : rest.PAGE_LIMIT;
  const query = { limit, sort: 'name', status: 'ACTIVE', type: 'chat' } as const;
  return client.call(rest.listModels, { params: { organisationId: organisation.id }, query }).then(
    ({ data }) => data.find(({ id }) => allowed === undefined || allowed.includes(id))?.name,
    () => undefined,
  );
}
