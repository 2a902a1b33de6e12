'use client';

import { rest } from '@tollgate/contracts';

import { useRead } from '../../api/provider';
import { DO, ON, type RowAction } from '../linked-actions';
import { pageOf, paths, withQuery } from '../paths';
import type { Choice, Group, Step } from './choices';
import type { Looked } from './use-found';

// The objects that an action of the palette can have: the second step after "Turn off a model…".

/** Objects shown at once. Typing narrows them down. */
const SHOWN = 20;

const TITLES: Readonly<Record<Step, string>> = {
  organisation: 'Organisations',
  revoke: 'API keys',
  'turn-off': 'Models that are on',
  pause: 'Export destinations that deliver',
};
const PAGES: Readonly<Record<RowAction, string>> = {
  revoke: 'apikeys',
  'turn-off': 'models',
  pause: 'exports',
};

export function useObjectsFor(
  step: Step | undefined,
  looked: Looked,
): { readonly groups: readonly Group[]; readonly reading: boolean } {
  const { text, organisation, platform } = looked;
  const params = { organisationId: organisation?.id ?? '' };
  const query = { limit: SHOWN, sort: 'name', ...(text !== '' && { search: text }) } as const;
  const inside = organisation !== undefined;
  const reads = {
    organisation: useRead(
      rest.listOrganisations,
      { query },
      { enabled: step === 'organisation', keep: true },
    ),
    revoke: useRead(
      rest.listApiKeys,
      { params, query: { ...query, status: 'ACTIVE' } },
      { enabled: step === 'revoke' && inside, keep: true },
    ),
    'turn-off': useRead(
      rest.listModels,
      { params, query: { ...query, status: 'ACTIVE' } },
      { enabled: step === 'turn-off' && inside, keep: true },
    ),
    pause: useRead(
      rest.listExportDestinations,
      { params, query },
      { enabled: step === 'pause' && inside, keep: true },
    ),
  };
  if (step === undefined) return { groups: [], reading: false };
  const place = { organisation: organisation ?? null, platform };
  const ask = (on: RowAction, { id, name }: { id: string; name: string }): Choice => ({
    name,
    // The list shows 25 rows, so it is narrowed to the object.
    does: { href: withQuery(pageOf(place, PAGES[on]), { search: name, [DO]: on, [ON]: id }) },
  });
  const choices: Readonly<Record<Step, () => readonly Choice[]>> = {
    organisation: () =>
      (reads.organisation.data?.data ?? []).map(({ name, slug }) => ({
        name,
        note: slug,
        does: { href: paths.organisation(slug, 'dashboard') },
      })),
    revoke: () =>
      (reads.revoke.data?.data ?? []).map((key) => ({ ...ask('revoke', key), note: key.preview })),
    'turn-off': () => (reads['turn-off'].data?.data ?? []).map((model) => ask('turn-off', model)),
    pause: () =>
      (reads.pause.data?.data ?? [])
        .filter(({ status }) => status === 'ACTIVE')
        .map((destination) => ask('pause', destination)),
  };
  const group = { title: TITLES[step], choices: choices[step]() };
  return {
    groups: group.choices.length === 0 ? [] : [group],
    reading: reads[step].isFetching,
  };
}
