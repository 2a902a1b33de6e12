import { rest } from '@tollgate/contracts';
import { Building2 } from 'lucide-react';
import type { ReactNode } from 'react';

import { ApiError } from '../api/rest-client';
import { LinkButton } from '../design/button';
import { Empty } from '../design/empty';
import { Page as PageFrame } from '../design/page';
import type { Get } from '../resource/list-input';
import { FailureInFrame } from '../shell/failure-page';
import { OrganisationBar } from '../shell/organisation-bar';
import { ORGANISATION_PARAMETER, paths } from '../shell/paths';
import { ScopeProvider, type ScopeOrganisation } from '../shell/scope';
import { withReads, type Ask } from './prefetch';
import { runtime } from './runtime';
import {
  apiErrorOf,
  organisationBySlug,
  organisationScope,
  platformScope,
  type Viewer,
} from './viewer';

// A page about one organisation is written once. At `/:organisation/page` the path names the
// organisation; at `/admin/page` a super admin chooses it, and the URL keeps the choice.

type SearchParams = Promise<Record<string, string | string[] | undefined>>;
type Params = Promise<Record<string, string>>;

export type PageContext = Viewer & {
  readonly organisationId: string;
  /** Reads the URL's query. */
  readonly get: Get;
  /** Path parameters below the organisation. */
  readonly path: Readonly<Record<string, string>>;
  readonly timeZone: string;
};

export interface OrganisationPage {
  /** Data to prefetch on the server. */
  readonly reads: (ask: Ask, context: PageContext) => readonly Promise<void>[];
  readonly view: (context: PageContext) => ReactNode | Promise<ReactNode>;
}

/** The page at `/:organisation/…`. */
export function organisationPage({ reads, view }: OrganisationPage) {
  return async function Page(props: { params: Params; searchParams: SearchParams }) {
    const { organisation: slug = '', ...path } = await props.params;
    const scope = await organisationScope(slug);
    if (!scope.ok) return <FailureInFrame error={scope.error} />;
    const { client, me, organisation } = scope;
    const { id: organisationId, timeZone } = organisation;
    const get = getterOf(await props.searchParams);
    const context = { client, me, organisationId, timeZone, path, get };
    return inFrame(async () =>
      withReads(client, (ask) => reads(ask, context), await view(context)),
    );
  };
}

/** The same page at `/admin/…`, for the chosen organisation. */
export function platformPage({ reads, view }: OrganisationPage) {
  return async function Page(props: { params: Params; searchParams: SearchParams }) {
    const scope = await platformScope();
    if (!scope.ok) return <FailureInFrame error={scope.error} />;
    const get = getterOf(await props.searchParams);
    const organisation = await chosenOrganisation(scope, get(ORGANISATION_PARAMETER));
    if (organisation === undefined) return <NoOrganisation />;
    if (organisation instanceof ApiError) return <FailureInFrame error={organisation} />;
    const { client, me } = scope;
    const { id: organisationId, timeZone } = organisation;
    const context = { client, me, organisationId, timeZone, path: await props.params, get };
    return (
      <ScopeProvider value={{ me, organisation, platform: true, ...runtime().addresses }}>
        <OrganisationBar />
        {await inFrame(async () =>
          withReads(client, (ask) => reads(ask, context), await view(context)),
        )}
      </ScopeProvider>
    );
  };
}

/** A platform page about all organisations, or the one in the URL. */
export interface WidePage {
  readonly reads: (ask: Ask, context: WideContext) => readonly Promise<void>[];
  readonly view: (context: WideContext) => ReactNode;
}

export type WideContext = Viewer & {
  /** Undefined: all organisations. */
  readonly organisationId: string | undefined;
  readonly get: Get;
  /** The organisation's zone; UTC for all organisations. */
  readonly timeZone: string;
};

/** The page at `/admin/…` that works without a chosen organisation. */
export function widePage({ reads, view }: WidePage) {
  return async function Page(props: { searchParams: SearchParams }) {
    const scope = await platformScope();
    if (!scope.ok) return <FailureInFrame error={scope.error} />;
    const get = getterOf(await props.searchParams);
    const slug = get(ORGANISATION_PARAMETER);
    const named = slug === undefined ? undefined : await chosenOrganisation(scope, slug, false);
    if (named instanceof ApiError) return <FailureInFrame error={named} />;
    const { client, me } = scope;
    const timeZone = named?.timeZone ?? 'UTC';
    const context = { client, me, organisationId: named?.id, get, timeZone };
    const organisation = named ?? null;
    return (
      <ScopeProvider value={{ me, organisation, platform: true, ...runtime().addresses }}>
        <OrganisationBar all />
        {await withReads(client, (ask) => reads(ask, context), view(context))}
      </ScopeProvider>
    );
  };
}

/** Stands in for a page of one organisation while the platform has none. */
function NoOrganisation() {
  return (
    <PageFrame title="No organisation yet">
      <Empty
        icon={Building2}
        title="This page belongs to an organisation"
        action={<LinkButton href={paths.platform('organisations')}>Organisations</LinkButton>}
      >
        Create the first organisation, then open this page again.
      </Empty>
    </PageFrame>
  );
}

export function getterOf(search: Record<string, string | string[] | undefined>): Get {
  return (name) => {
    const value = search[name];
    return typeof value === 'string' ? value : undefined;
  };
}

/** The organisation in the URL. Without a valid one: the first by name if the page needs one. */
async function chosenOrganisation(
  { client }: Viewer,
  slug: string | undefined,
  needed = true,
): Promise<ScopeOrganisation | ApiError | undefined> {
  try {
    if (slug !== undefined) {
      const named = await organisationBySlug(client, slug);
      if (named !== undefined) return named;
    }
    if (!needed) return undefined;
    const query = { sort: 'name', limit: 1 } as const;
    return (await client.call(rest.listOrganisations, { query })).data[0];
  } catch (error) {
    return apiErrorOf(error);
  }
}

/** A page that needs an answer of the catalog to be shown at all says that it got none. */
async function inFrame(render: () => Promise<ReactNode>): Promise<ReactNode> {
  try {
    return await render();
  } catch (error) {
    return <FailureInFrame error={apiErrorOf(error)} />;
  }
}
