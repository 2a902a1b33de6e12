'use client';

import { rest } from '@tollgate/contracts';
import { Pencil, Plus, Trash2, UsersRound } from 'lucide-react';
import Link from 'next/link';
import { useMemo, useState, type ReactNode } from 'react';
import { useRest } from '../../api/provider';
import { Button } from '../../design/button';
import { Empty } from '../../design/empty';
import type { MenuAction } from '../../design/menu';
import { Page } from '../../design/page';
import { When } from '../../design/when';
import { showCount } from '../../format/numbers';
import type { ListColumn } from '../../resource/columns-menu';
import { ConfirmDialog, type Question } from '../../resource/confirm-dialog';
import { ResourceList } from '../../resource/resource-list';
import { sourceOf } from '../../resource/source';
import { pageOf } from '../../shell/paths';
import { useMay, useOrganisation, useScope } from '../../shell/scope';
import { TeamForm } from './team-form';

/** The organisation's teams, as far as the user's role reaches. */
export function Teams() {
  const organisation = useOrganisation();
  const columns = useTeamColumns();
  const client = useRest();
  const mayWrite = useMay('teams.write');
  const [form, setForm] = useState<{ readonly teamId?: string }>();
  const [question, setQuestion] = useState<Question>();
  const create = mayWrite && (
    <Button look="primary" onClick={() => setForm({})}>
      <Plus aria-hidden />
      Create team
    </Button>
  );
  const actions = (team: rest.Team): readonly MenuAction[] => [
    { label: 'Rename', icon: Pencil, onSelect: () => setForm({ teamId: team.id }) },
    {
      label: 'Delete',
      icon: Trash2,
      danger: true,
      onSelect: () =>
        setQuestion({
          title: `Delete ${team.name}?`,
          consequence: DELETED,
          name: team.name,
          confirm: 'Delete team',
          cancel: 'Keep the team',
          run: () => client.call(rest.deleteTeam, { params: { ...params, teamId: team.id } }),
          stale: [rest.listTeams.id],
          done: `${team.name} is deleted.`,
        }),
    },
  ];
  const params = { organisationId: organisation.id };
  return (
    <Page
      title="Teams"
      description="People who share keys, and the limits that bind them together."
      actions={create}
    >
      <ResourceList
        title="Teams"
        source={sourceOf(rest.listTeams, params)}
        columns={columns}
        keyOf={({ id }) => id}
        nameOf={({ name }) => name}
        search="Search name"
        {...(mayWrite ? { actions } : {})}
        empty={<NoTeams action={create} />}
      />
      {form !== undefined && <TeamForm {...form} onClose={() => setForm(undefined)} />}
      {question !== undefined && (
        <ConfirmDialog question={question} onClose={() => setQuestion(undefined)} />
      )}
    </Page>
  );
}

export const DELETED =
  'Its keys are refused from now on and its limits end; what it has spent stays in the books. This cannot be undone.';

function useTeamColumns(): readonly ListColumn<rest.Team>[] {
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

function NoTeams({ action }: { action: ReactNode }) {
  return (
    <Empty icon={UsersRound} title="No teams yet" action={action}>
      A team has members, keys of its own and a budget to share.
    </Empty>
  );
}
