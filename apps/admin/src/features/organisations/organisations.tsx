'use client';

import { rest } from '@tollgate/contracts';
import { Archive, Building2, Pause, Pencil, Play } from 'lucide-react';
import Link from 'next/link';
import { useState } from 'react';

import { useRest } from '../../api/provider';
import type { RestClient } from '../../api/rest-client';
import { Badge, type Tone } from '../../design/badge';
import type { MenuAction } from '../../design/menu';
import { When } from '../../design/when';
import { showCount } from '../../format/numbers';
import { sentence } from '../../format/words';
import type { ListColumn } from '../../resource/columns-menu';
import { ConfirmDialog, type Question } from '../../resource/confirm-dialog';
import { ListPage } from '../../resource/list-page';
import { reversible } from '../../resource/reversible';
import { sourceOf } from '../../resource/source';
import { paths } from '../../shell/paths';
import { OrganisationForm } from './organisation-form';

const TONES: Record<rest.OrganisationStatus, Tone> = {
  ACTIVE: 'good',
  SUSPENDED: 'warn',
  ARCHIVED: 'neutral',
};

/** The platform's organisations; each links to its own pages. */
export function Organisations() {
  const client = useRest();
  const [form, setForm] = useState<{ readonly organisationId?: string }>();
  const [question, setQuestion] = useState<Question>();
  return (
    <ListPage
      title="Organisations"
      description="The tenants of this gateway."
      create={{ label: 'Create organisation', onSelect: () => setForm({}) }}
      source={sourceOf(rest.listOrganisations, {})}
      columns={COLUMNS}
      keyOf={({ id }) => id}
      nameOf={({ name }) => name}
      search="Search name or slug"
      filters={[
        {
          name: 'status',
          label: 'Status',
          any: 'Any status',
          values: rest.ORGANISATION_STATUSES,
        },
      ]}
      actions={(organisation) => actionsOf(organisation, client, setForm, setQuestion)}
      empty={{
        icon: Building2,
        title: 'No organisations yet',
        text: 'Each organisation has its own providers, models, users, keys and books.',
      }}
    >
      {form !== undefined && <OrganisationForm {...form} onClose={() => setForm(undefined)} />}
      {question !== undefined && (
        <ConfirmDialog question={question} onClose={() => setQuestion(undefined)} />
      )}
    </ListPage>
  );
}

function actionsOf(
  organisation: rest.Organisation,
  client: RestClient,
  edit: (form: { organisationId: string }) => void,
  ask: (question: Question) => void,
): readonly MenuAction[] {
  const { id: organisationId, name, status } = organisation;
  if (status === 'ARCHIVED') return [];
  const of = { params: { organisationId } };
  const stale = [rest.listOrganisations.id];
  const suspend: MenuAction = {
    label: 'Suspend',
    icon: Pause,
    onSelect: () =>
      ask({
        title: `Suspend ${name}?`,
        consequence: 'Its keys and users are refused until you resume it.',
        confirm: 'Suspend',
        ...reversible(
          client,
          [rest.suspendOrganisation, of],
          [rest.resumeOrganisation, of],
          `${name} is active again.`,
        ),
        stale,
        done: `${name} is suspended.`,
      }),
  };
  const resume: MenuAction = {
    label: 'Resume',
    icon: Play,
    onSelect: () =>
      ask({
        title: `Resume ${name}?`,
        consequence: 'Its keys and users are accepted again.',
        confirm: 'Resume',
        run: () => client.call(rest.resumeOrganisation, of),
        stale,
        done: `${name} is active again.`,
      }),
  };
  const archive: MenuAction = {
    label: 'Archive',
    icon: Archive,
    danger: true,
    onSelect: () =>
      ask({
        title: `Archive ${name}?`,
        consequence:
          'Revokes its keys and signs out its users permanently. Records are kept. This cannot be undone.',
        name,
        confirm: 'Archive',
        run: () => client.call(rest.archiveOrganisation, of),
        stale,
        done: `${name} is archived.`,
      }),
  };
  return [
    { label: 'Edit', icon: Pencil, onSelect: () => edit({ organisationId }) },
    status === 'SUSPENDED' ? resume : suspend,
    archive,
  ];
}

const COLUMNS: readonly ListColumn<rest.Organisation>[] = [
  {
    title: 'Name',
    sort: 'name',
    cell: (organisation) => <OrganisationLink organisation={organisation} />,
  },
  {
    title: 'Status',
    cell: ({ status }) => <Badge tone={TONES[status]}>{sentence(status)}</Badge>,
  },
  {
    title: 'Slug',
    sort: 'slug',
    from: 'sm',
    cell: ({ slug }) => <span className="font-mono text-sm text-ink-soft">{slug}</span>,
  },
  {
    title: 'Time zone',
    from: 'md',
    cell: ({ timeZone }) => <span className="text-ink-soft">{timeZone}</span>,
  },
  {
    title: 'Created',
    sort: 'createdAt',
    align: 'right',
    from: 'md',
    cell: ({ createdAt }) => <When instant={createdAt} timeZone="UTC" />,
  },
  {
    title: 'Records kept',
    hidden: true,
    cell: ({ retentionDays }) =>
      retentionDays === null ? 'forever' : `${showCount(retentionDays)} days`,
  },
];

export function OrganisationLink({ organisation }: { organisation: rest.Organisation }) {
  return (
    <Link
      href={paths.organisation(organisation.slug, 'dashboard')}
      className="font-medium text-accent underline-offset-4 hover:underline"
    >
      {organisation.name}
    </Link>
  );
}
