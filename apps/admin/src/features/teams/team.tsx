'use client';

import { rest } from '@tollgate/contracts';
import { Pencil, Plus, Shield, UserMinus, UsersRound } from 'lucide-react';
import { useMemo, useState } from 'react';

import { useRead, useRest } from '../../api/provider';
import type { RestClient } from '../../api/rest-client';
import { Badge } from '../../design/badge';
import { Button } from '../../design/button';
import { Card } from '../../design/card';
import { Empty } from '../../design/empty';
import { Facts } from '../../design/facts';
import type { MenuAction } from '../../design/menu';
import { When } from '../../design/when';
import { showCount } from '../../format/numbers';
import { sentence } from '../../format/words';
import type { ListColumn } from '../../resource/columns-menu';
import { ConfirmDialog, type Question } from '../../resource/confirm-dialog';
import { DetailPage } from '../../resource/detail-page';
import { regionWords } from '../../resource/regions-field';
import { ResourceList } from '../../resource/resource-list';
import { reversible } from '../../resource/reversible';
import { sourceOf } from '../../resource/source';
import { useMay, useOrganisation } from '../../shell/scope';
import { OwnerSummary } from '../usage/owner-summary';
import { UsageLink } from '../usage/usage-link';
import { Email } from '../users/user-columns';
import { MemberForm } from './member-form';
import { TeamForm } from './team-form';

/** A team and its members. */
export function Team({ teamId }: { teamId: string }) {
  const { id: organisationId, timeZone } = useOrganisation();
  const read = useRead(rest.getTeam, { params: { organisationId, teamId } });
  const [editing, setEditing] = useState(false);
  const mayWrite = useMay('teams.write');
  return (
    <DetailPage
      noun="Team"
      read={read}
      title={({ name }) => name}
      description={() => 'Team'}
      links={<UsageLink of={{ teamId }} />}
      actions={
        mayWrite && read.data !== undefined
          ? [{ label: 'Edit', icon: Pencil, onSelect: () => setEditing(true) }]
          : []
      }
      windows={editing && <TeamForm teamId={teamId} onClose={() => setEditing(false)} />}
    >
      {(data) => (
        <>
          <Card title="About">
            <Facts
              facts={[
                { name: 'Members', value: showCount(data.memberCount) },
                { name: 'Allowed regions', value: regionWords(data.allowedRegions) },
                { name: 'Created', value: <When instant={data.createdAt} timeZone={timeZone} /> },
                { name: 'Id', value: <code className="font-mono text-sm">{data.id}</code> },
              ]}
            />
          </Card>
          <OwnerSummary of={{ teamId }} />
          <Members team={data} />
        </>
      )}
    </DetailPage>
  );
}

const STALE = [rest.listTeamMembers.id, rest.getTeam.id, rest.listTeams.id];

function Members({ team }: { team: rest.Team }) {
  const client = useRest();
  const mayWrite = useMay('team-members.write');
  const [adding, setAdding] = useState(false);
  const [question, setQuestion] = useState<Question>();
  const columns = useMemberColumns();
  const params = { organisationId: team.organisationId, teamId: team.id };
  const actions = (member: rest.TeamMember): readonly MenuAction[] => [
    {
      label: MAKE[otherRole(member)],
      icon: Shield,
      onSelect: () => setQuestion(roleQuestion(client, team, member)),
    },
    {
      label: 'Remove',
      icon: UserMinus,
      danger: true,
      onSelect: () => setQuestion(removalQuestion(client, team, member)),
    },
  ];
  const add = mayWrite && (
    <Button size="small" onClick={() => setAdding(true)}>
      <Plus aria-hidden />
      Add member
    </Button>
  );
  return (
    <section aria-labelledby="members" className="flex flex-col gap-3">
      <header className="flex items-center justify-between">
        <h2 id="members" className="font-semibold">
          Members
        </h2>
        {add}
      </header>
      <ResourceList
        title="Members"
        source={sourceOf(rest.listTeamMembers, params)}
        keyOf={({ userId }) => userId}
        columns={columns}
        nameOf={({ name }) => name}
        search="Search name or email"
        filters={[{ name: 'role', label: 'Role', any: 'Any role', values: rest.TEAM_ROLES }]}
        actions={mayWrite && actions}
        empty={
          <Empty icon={UsersRound} title="No members yet" action={add}>
            Add the users whose keys count towards this team.
          </Empty>
        }
      />
      {adding && <MemberForm team={team} stale={STALE} onClose={() => setAdding(false)} />}
      {question !== undefined && (
        <ConfirmDialog question={question} onClose={() => setQuestion(undefined)} />
      )}
    </section>
  );
}

const MAKE: Record<rest.TeamRole, string> = { MANAGER: 'Make manager', MEMBER: 'Make member' };

function otherRole({ role }: rest.TeamMember): rest.TeamRole {
  return role === 'MANAGER' ? 'MEMBER' : 'MANAGER';
}

function pathOf(team: rest.Team, { userId }: rest.TeamMember) {
  return { organisationId: team.organisationId, teamId: team.id, userId };
}

function roleQuestion(client: RestClient, team: rest.Team, member: rest.TeamMember): Question {
  const { name, role } = member;
  const other = otherRole(member);
  const params = pathOf(team, member);
  return {
    title: `Make ${name} a ${other.toLowerCase()}?`,
    consequence: ROLE_WORDS[other],
    confirm: MAKE[other],
    ...reversible(
      client,
      [rest.updateTeamMember, { params, body: { role: other } }],
      [rest.updateTeamMember, { params, body: { role } }],
      `${name} is a ${role.toLowerCase()} again.`,
    ),
    stale: STALE,
    done: `${name} is a ${other.toLowerCase()} now.`,
  };
}

function removalQuestion(client: RestClient, team: rest.Team, member: rest.TeamMember): Question {
  const { name } = member;
  return {
    title: `Remove ${name} from ${team.name}?`,
    consequence: 'Their keys of this team are revoked. This cannot be undone.',
    name,
    confirm: 'Remove member',
    run: () => client.call(rest.removeTeamMember, { params: pathOf(team, member) }),
    stale: STALE,
    done: `${name} removed from the team.`,
  };
}

const ROLE_WORDS: Record<rest.TeamRole, string> = {
  MANAGER: 'A manager may add members, create keys for the team and set its limits.',
  MEMBER: 'A member may use the team’s budget with their own keys.',
};

function useMemberColumns(): readonly ListColumn<rest.TeamMember>[] {
  const { timeZone } = useOrganisation();
  return useMemo(
    () => [
      {
        title: 'Name',
        cell: ({ name, email }) => (
          <>
            <span className="block wrap-anywhere">{name}</span>
            <Email of={email} />
          </>
        ),
      },
      {
        title: 'Role in the team',
        cell: ({ role }) => (
          <Badge tone={role === 'MANAGER' ? 'accent' : 'neutral'}>{sentence(role)}</Badge>
        ),
      },
      {
        title: 'Since',
        from: 'sm',
        align: 'right',
        cell: ({ createdAt }) => <When instant={createdAt} timeZone={timeZone} />,
      },
    ],
    [timeZone],
  );
}
