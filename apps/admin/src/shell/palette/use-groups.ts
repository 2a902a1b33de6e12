'use client';

import { useSearchParams } from 'next/navigation';
import { useMemo } from 'react';

import { useDebounced } from '../../design/use-debounced';
import { ORGANISATION_NAVIGATION, PLATFORM_NAVIGATION } from '../navigation';
import { ORGANISATION_PARAMETER, pageIn } from '../paths';
import { useScope } from '../scope';
import { actionsFor } from './actions';
import { pagesFor, requestsFor, type Choice, type Found, type Group, type Step } from './choices';
import { recentObjects, within } from './recent';
import { useFound, useNamed } from './use-found';
import { useObjectsFor } from './use-objects-for';

interface Groups {
  readonly groups: readonly Group[];
  readonly reading: boolean;
}

const RECENT_SHOWN = 5;

/** What the palette offers for the text; in a step, the objects that its action can have. */
export function useGroups(text: string, step: Step | undefined): Groups {
  const scope = useScope();
  const looked = useSearchParams().get(ORGANISATION_PARAMETER);
  const named = useNamed(scope.platform ? looked : null);
  const typed = text.trim();
  const settled = useDebounced(typed);
  const organisation = scope.organisation ?? named;
  const place = { text: settled, organisation, platform: scope.platform };
  const found = useFound({ ...place, enabled: step === undefined });
  const objects = useObjectsFor(step, place);
  const recent = useRecent(typed);
  const waiting = settled !== typed;
  if (step !== undefined) return { ...objects, reading: objects.reading || waiting };

  const hrefOf = (page: string): string => pageIn(scope, page, looked);
  const sections = scope.organisation === null ? PLATFORM_NAVIGATION : ORGANISATION_NAVIGATION;
  const pages = {
    title: 'Pages',
    choices: pagesFor(sections, scope.me.actions, typed, hrefOf),
  };
  const may = organisation === undefined ? undefined : hrefOf;
  const actions = { title: 'Actions', choices: actionsFor(scope.me.actions, typed, may) };
  const mayRead = scope.organisation !== null && scope.me.actions.includes('usage.read');
  const requests = mayRead ? requestsFor(typed, (where) => requestHref(where, hrefOf)) : [];
  const seen = new Set(recent.map(keyOf));
  const others = found.groups.map(({ title, choices }) => ({
    title,
    choices: choices.filter((choice) => !seen.has(keyOf(choice))),
  }));
  return {
    groups: [
      { title: 'Requests', choices: requests },
      { title: 'Recent', choices: recent },
      // Without a text the sidebar has the pages already.
      ...(typed === '' ? [actions, pages] : [pages, actions]),
      ...others,
    ].filter(({ choices }) => choices.length > 0),
    reading: found.reading || waiting,
  };
}

const keyOf = ({ does }: Choice): string => ('href' in does ? does.href : '');

/** Objects that the user opened lately, the newest first. */
function useRecent(typed: string): readonly Choice[] {
  const { me, organisation, platform } = useScope();
  const slug = organisation?.slug;
  const known = useMemo(
    () => within(recentObjects(me.id), { platform, slug }),
    [me.id, platform, slug],
  );
  const wanted = typed.toLowerCase();
  return known
    .filter(({ name }) => name.toLowerCase().includes(wanted))
    .slice(0, RECENT_SHOWN)
    .map(({ href, name, note }) => ({ name, note, does: { href } }));
}

/** The page of one request, or the list of those that a client or a session sent; a session is read from its beginning. */
function requestHref(where: Found, hrefOf: (page: string) => string): string {
  if ('requestId' in where) return hrefOf(`usage/${where.requestId}`);
  const sort = 'session' in where ? 'authorisedAt' : '-authorisedAt';
  const search = new URLSearchParams({ tab: 'requests', range: '12m', sort, ...where });
  return `${hrefOf('usage')}?${search.toString()}`;
}
