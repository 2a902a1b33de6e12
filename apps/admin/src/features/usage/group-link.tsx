'use client';

import { rest } from '@tollgate/contracts';
import { Filter, List, SquareArrowOutUpRight } from 'lucide-react';
import Link from 'next/link';
import { useMemo } from 'react';

import { useRead } from '../../api/provider';
import { ActionMenu, type MenuAction } from '../../design/menu';
import { ORGANISATION_PARAMETER, pageOf } from '../../shell/paths';
import { useMay, useScope } from '../../shell/scope';
import { groupName } from './group-name';
import { ORGANISATIONS_QUERY } from './queries';
import { FILTER_OF, groupsFor, type Group } from './state';
import type { Usage } from './use-usage';

type Named = rest.UsageExploration['groups'][number]['group'];
interface GroupProps {
  readonly usage: Usage;
  readonly group: Named;
}

/** The next grouping after filtering to one group. */
const NEXT: Readonly<Partial<Record<Group, Group>>> = {
  team: 'user',
  user: 'apikey',
  apikey: 'model',
  model: 'apikey',
  provider: 'model',
  'mcp-server': 'apikey',
  operation: 'model',
  status: 'model',
  region: 'provider',
  'end-user': 'session',
  session: 'agent-class',
  'agent-class': 'model',
  tag: 'model',
  'response-cache': 'model',
  experiment: 'experiment-arm',
  'experiment-arm': 'model',
  'routing-policy': 'model',
};

/** The group's name, which filters usage by it. */
export function GroupLink({ usage, group }: GroupProps) {
  const { state } = usage;
  const name = groupName(state.group, group);
  const href = useNarrowed({ usage, group });
  if (href === undefined) return <span className="break-words">{name}</span>;
  return (
    <Link
      href={href}
      scroll={false}
      className="break-words text-accent underline-offset-4 hover:underline"
    >
      {name}
    </Link>
  );
}

function useNarrowed({ usage, group }: GroupProps): string | undefined {
  const changes = useNarrowing(usage)(group.id);
  return changes && usage.hrefOf(changes);
}

type Narrowing = Readonly<Record<string, string | undefined>>;

/** What filters usage by a group of this id, if that is possible. */
export function useNarrowing({ state, wide }: Usage): (id: string | null) => Narrowing | undefined {
  const slugs = useOrganisationSlugs(state.group === 'organisation');
  return (id) => narrowed(state, wide, slugs, id);
}

function narrowed(
  state: Usage['state'],
  wide: boolean,
  slugs: ReadonlyMap<string, string> | undefined,
  id: string | null,
): Narrowing | undefined {
  // Several regions are no filter; each of them is one.
  if (id === null || (state.group === 'region' && id.includes(','))) return undefined;
  if (state.group === 'organisation') {
    const slug = slugs?.get(id);
    return slug === undefined ? undefined : { [ORGANISATION_PARAMETER]: slug, group: undefined };
  }
  if (state.group === 'time') return undefined;
  return { ...narrowing(state, id), group: nextOf(state.group, wide), tagKey: undefined };
}

function narrowing({ group, tagKey }: Usage['state'], id: string): Record<string, string> {
  if (group === 'time' || group === 'organisation') return {};
  return { [FILTER_OF[group]]: group === 'tag' ? `${tagKey ?? ''}:${id}` : id };
}

function nextOf(group: Group, wide: boolean): Group {
  return groupsFor(wide).find((candidate) => candidate === NEXT[group]) ?? 'time';
}

/** Slugs by organisation id: one page of organisations by name. */
export function useOrganisationSlugs(enabled: boolean): ReadonlyMap<string, string> | undefined {
  const { data } = useRead(rest.listOrganisations, { query: ORGANISATIONS_QUERY }, { enabled });
  return useMemo(() => data && new Map(data.data.map(({ id, slug }) => [id, slug])), [data]);
}

const PAGES = {
  team: { page: 'teams', action: 'teams.read' },
  user: { page: 'users', action: 'users.read' },
  apikey: { page: 'apikeys', action: 'apikeys.read' },
  model: { page: 'models', action: 'models.read' },
  provider: { page: 'providers', action: 'providers.read' },
  'mcp-server': { page: 'mcp-servers', action: 'mcp-servers.read' },
  'routing-policy': { page: 'routing', action: 'routing-policies.read' },
} as const satisfies Partial<Record<Group, { page: string; action: rest.Action }>>;

/** Further actions of a group. */
export function GroupActions({ usage, group }: GroupProps) {
  const scope = useScope();
  const { state, hrefOf, wide } = usage;
  const narrowed = useNarrowed({ usage, group });
  const place = Object.hasOwn(PAGES, state.group)
    ? PAGES[state.group as keyof typeof PAGES]
    : undefined;
  const mayOpen = useMay(place?.action ?? 'usage.read');
  const { id } = group;
  if (id === null || narrowed === undefined) return null;
  const actions: MenuAction[] = [{ label: 'Filter by this', icon: Filter, href: narrowed }];
  if (!wide && state.group !== 'operation') {
    const tab = state.group === 'mcp-server' ? 'mcp' : 'requests';
    const requests = { tab, group: undefined, tagKey: undefined, ...narrowing(state, id) };
    actions.push({ label: 'Show requests', icon: List, href: hrefOf(requests) });
  }
  if (place !== undefined && mayOpen && !wide) {
    const href = pageOf(scope, `${place.page}/${id}`);
    actions.push({ label: 'Open page', icon: SquareArrowOutUpRight, href });
  }
  return <ActionMenu label={`Actions for ${groupName(state.group, group)}`} actions={actions} />;
}
