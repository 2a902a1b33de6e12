'use client';

import { rest } from '@tollgate/contracts';
import { Pencil, UsersRound } from 'lucide-react';
import Link from 'next/link';
import { useMemo, useState } from 'react';

import { useRest } from '../../api/provider';
import type { MenuAction } from '../../design/menu';
import { When } from '../../design/when';
import { showUsd } from '../../format/money';
import { showCount } from '../../format/numbers';
import { deleteAction } from '../../resource/actions';
import type { ListColumn } from '../../resource/columns-menu';
import { ConfirmDialog, type Question } from '../../resource/confirm-dialog';
import { ListPage } from '../../resource/list-page';
import { sourceOf } from '../../resource/source';
import { pageOf } from '../../shell/paths';
import { useMay, useOrganisation, useScope } from '../../shell/scope';
import { TeamForm } from './team-form';

/** The organisation's teams that the user may see. */
export function Teams() {
  const organisation = useOrganisation();
  const columns = useTeamColumns();
  const client = useRest();
  const mayWrite = useMay('teams.write');
  const [form, setForm] = useState<{ readonly teamId?: string }>();
  const [question, setQuestion] = useState<Question>();
  const actions = (team: rest.Team): readonly MenuAction[] => [
    { label: 'Edit', icon: Pencil, onSelect: () => setForm({ teamId: team.id }) },
    deleteAction({
      noun: 'team',
      name: team.name,
      consequence: DELETED,
      run: () => client.call(rest.deleteTeam, { params: { ...params, teamId: team.id } }),
      stale: [rest.listTeams.id],
      ask: setQuestion,
    }),
  ];
  const params = { organisationId: organisation.id };
  return (
    <ListPage
      title="Teams"
      description="Users who share keys and limits."
      create={mayWrite && { label: 'Create team', onSelect: () => setForm({}) }}
      source={sourceOf(rest.listTeams, params)}
      columns={columns}
      keyOf={({ id }) => id}
      nameOf={({ name }) => name}
      search="Search name"
      actions={mayWrite && actions}
      empty={{
        icon: UsersRound,
        title: 'No teams yet',
        text: 'A team has members, its own keys and shared limits.',
      }}
    >
      {form !== undefined && <TeamForm {...form} onClose={() => setForm(undefined)} />}
      {question !== undefined && (
        <ConfirmDialog question={question} onClose={() => setQuestion(undefined)} />
      )}
    </ListPage>
  );
}

export const DELETED =
  'Revokes its keys and deletes its limits. Recorded usage is kept. This cannot be undone.';

function useTeamColumns(): readonly ListColumn<rest.ListedTeam>[] {
  const scope = useScope();
  const { timeZone } = useOrganisation();
  return useMemo(
    () => [
      {
        title: 'Name',
        sort: 'name',
        cell: ({ id, name }) => (
          <Link
            href={pageOf(scope, `teams/${id}`)}
            className="break-words text-accent underline-offset-4 hover:underline"
          >
            {name}
          </Link>
        ),
      },
      {
        title: 'Spend this month',
        sort: 'spentUsd',
        align: 'right',
        cell: ({ spentUsd }) => showUsd(spentUsd),
      },
      { title: 'Members', align: 'right', cell: ({ memberCount }) => showCount(memberCount) },
      {
        title: 'Created',
        sort: 'createdAt',
        from: 'sm',
        align: 'right',
        cell: ({ createdAt }) => <When instant={createdAt} timeZone={timeZone} />,
      },
      {
        title: 'Changed',
        hidden: true,
        align: 'right',
        cell: ({ updatedAt }) => <When instant={updatedAt} timeZone={timeZone} />,
      },
    ],
    [scope, timeZone],
  );
}
