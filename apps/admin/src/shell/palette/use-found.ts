'use client';

import { rest } from '@tollgate/contracts';
import type { z } from 'zod';

import { useRead } from '../../api/provider';
import type { RestQuestion } from '../../api/rest-client';
import { pageOf, paths } from '../paths';
import { useMay, type ScopeOrganisation } from '../scope';
import type { Choice, Group } from './choices';

// Searches the catalog by name, one query per type of resource.

/** Results per type. Typing more narrows them down. */
const SHOWN = 5;
/** Enough to find a slug among names that contain it. */
const NAMED = 50;

export interface Looked {
  readonly text: string;
  readonly organisation: ScopeOrganisation | undefined;
  readonly platform: boolean;
}
type Asked = Looked & { readonly enabled: boolean };
interface Found {
  readonly group: Group;
  readonly reading: boolean;
}
interface Row {
  readonly id: string;
  readonly name: string;
}
type ListEndpoint<Item extends Row> = rest.Endpoint<
  string,
  z.ZodType,
  z.ZodType,
  z.ZodType<{ data: Item[]; nextCursor: string | null }>
>;

/** Searches one type of resource. */
function ofOrganisation<Item extends Row>(
  title: string,
  page: string,
  endpoint: ListEndpoint<Item>,
  action: rest.Action,
  note?: (item: Item) => string,
) {
  return function useFound({ text, organisation, platform, enabled: on }: Asked): Found {
    const may = useMay(action);
    const enabled = on && may && text !== '' && organisation !== undefined;
    const query = { search: text, limit: SHOWN, sort: 'name' };
    // Every list here belongs to an organisation, which the path's type cannot express.
    const question: object = { params: { organisationId: organisation?.id ?? '' }, query };
    const { data, isFetching } = useRead(endpoint, question as RestQuestion<ListEndpoint<Item>>, {
      enabled,
    });
    const choices = (enabled ? (data?.data ?? []) : []).map((item): Choice => {
      const href = pageOf({ organisation: organisation ?? null, platform }, `${page}/${item.id}`);
      return {
        does: { href },
        name: item.name,
        ...(note === undefined ? {} : { note: note(item) }),
      };
    });
    return { group: { title, choices }, reading: enabled && isFetching };
  };
}

const useTeams = ofOrganisation('Teams', 'teams', rest.listTeams, 'teams.read');
const useUsers = ofOrganisation(
  'Users',
  'users',
  rest.listUsers,
  'users.read',
  ({ email }) => email,
);
const useKeys = ofOrganisation(
  'API keys',
  'apikeys',
  rest.listApiKeys,
  'apikeys.read',
  ({ preview }) => preview,
);
const useModels = ofOrganisation('Models', 'models', rest.listModels, 'models.read');
const useProviders = ofOrganisation('Providers', 'providers', rest.listProviders, 'providers.read');

function useOrganisations({ text, enabled: on }: Asked): Found {
  const may = useMay('platform.organisations.read');
  const enabled = on && may && text !== '';
  const query = { search: text, limit: SHOWN, sort: 'name' } as const;
  const { data, isFetching } = useRead(rest.listOrganisations, { query }, { enabled });
  const choices = (enabled ? (data?.data ?? []) : []).map(({ name, slug }) => ({
    does: { href: paths.organisation(slug, 'dashboard') },
    name,
    note: slug,
  }));
  return { group: { title: 'Organisations', choices }, reading: enabled && isFetching };
}

export function useFound(looked: Asked): {
  readonly groups: readonly Group[];
  readonly reading: boolean;
} {
  const found = [
    useOrganisations(looked),
    useTeams(looked),
    useUsers(looked),
    useKeys(looked),
    useModels(looked),
    useProviders(looked),
  ];
  return {
    groups: found.map(({ group }) => group).filter(({ choices }) => choices.length > 0),
    reading: found.some(({ reading }) => reading),
  };
}

/** The organisation in the URL of a platform page. */
export function useNamed(slug: string | null): ScopeOrganisation | undefined {
  const { data } = useRead(
    rest.listOrganisations,
    { query: { search: slug ?? '-', sort: 'slug', limit: NAMED } },
    { enabled: slug !== null },
  );
  return slug === null ? undefined : data?.data.find((organisation) => organisation.slug === slug);
}
