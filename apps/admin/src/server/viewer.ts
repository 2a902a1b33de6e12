import { rest } from '@tollgate/contracts';
import { cookies, headers } from 'next/headers';
import { notFound, redirect } from 'next/navigation';
import { cache } from 'react';

import { ApiError, type RestClient } from '../api/rest-client';
import { paths } from '../shell/paths';
import { SILENT } from './catalog-state';
import { PATH_HEADER } from './page-headers';
import { runtime } from './runtime';
import { serverClient } from './server-client';
import { readSession } from './session';

// The viewer and the organisation of a page, read once per request.

export interface Viewer {
  readonly client: RestClient;
  readonly me: rest.Me;
}
export type Scope = Viewer & {
  readonly organisation: { id: string; name: string; slug: string; timeZone: string };
};
export type Found<T> =
  ({ readonly ok: true } & T) | { readonly ok: false; readonly error: ApiError };

/** The signed-in user; redirects to the sign-in page without one. */
export const viewer = cache(async (): Promise<Found<Viewer>> => {
  const found = await currentViewer();
  if (found.ok || found.error.status !== 401) return found;
  const path = (await headers()).get(PATH_HEADER);
  redirect(paths.login(path ?? undefined));
});

/** The signed-in user, if there is one. */
export const currentViewer = cache(async (): Promise<Found<Viewer>> => {
  const { access, refresh } = readSession((await cookies()).toString());
  if (access === undefined && refresh !== undefined) {
    // The proxy failed to renew the session, but it may still be valid.
    return { ok: false, error: away() };
  }
  const client = pageClient(access);
  try {
    return { ok: true, client, me: await client.call(rest.getMe, {}) };
  } catch (error) {
    return { ok: false, error: apiErrorOf(error) };
  }
});

/** All of a page's reads together; what is not there by then is read by the browser. */
const PAGE_WAIT_MS = 3_000;
const waitEndsAt = cache(() => performance.now() + PAGE_WAIT_MS);

/** A client whose calls end in time for the page to say that the catalog does not answer. */
export function pageClient(access: string | undefined): RestClient {
  const { send, log } = runtime();
  return serverClient(async (request) => {
    const timeoutMs = Math.floor(waitEndsAt() - performance.now());
    if (timeoutMs <= 0) throw away(SILENT);
    try {
      return await send({ ...request, timeoutMs });
    } catch (error) {
      log.error('the catalog could not be asked', { error });
      throw away();
    }
  }, access);
}

/** The organisation of a path. Users who may not see it get a 404. */
export const organisationScope = cache(async (slug: string): Promise<Found<Scope>> => {
  const found = await viewer();
  if (!found.ok) return found;
  const { client, me } = found;
  if (me.organisation?.slug === slug) return { ...found, organisation: me.organisation };
  if (me.role !== 'SUPER_ADMIN') notFound();
  try {
    const organisation = await organisationBySlug(client, slug);
    if (organisation !== undefined) return { ...found, organisation };
  } catch (error) {
    return { ok: false, error: apiErrorOf(error) };
  }
  notFound();
});

/** The platform's scope. Everyone but super admins gets a 404. */
export const platformScope = cache(async (): Promise<Found<Viewer>> => {
  const found = await viewer();
  if (found.ok && found.me.role !== 'SUPER_ADMIN') notFound();
  return found;
});

// The search matches parts of names and slugs, so the exact match may be on a later page.
export async function organisationBySlug(
  client: RestClient,
  slug: string,
): Promise<rest.Organisation | undefined> {
  let cursor: string | undefined;
  do {
    const page = await client.call(rest.listOrganisations, {
      query: { search: slug, sort: 'slug', limit: rest.PAGE_LIMIT, ...(cursor && { cursor }) },
    });
    const found = page.data.find((organisation) => organisation.slug === slug);
    if (found !== undefined) return found;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return undefined;
}

/** Passes on what the catalog answered, or that it did not answer; any other error is a fault of the console. */
export function apiErrorOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  throw error;
}

function away(message = 'The catalog cannot be reached.'): ApiError {
  return new ApiError(503, 'dependency_unavailable', message);
}
