import { rest } from '@tollgate/contracts';
import { z } from 'zod';

import { eachOf } from '../api/management-api';
import { email, reference } from './fields';
import type { Kind, Part, PartChange } from './kind';

interface TeamRow {
  readonly team: rest.Team;
  readonly members: readonly rest.TeamMember[];
}

const member = z.strictObject({ user: email, role: z.enum(rest.TEAM_ROLES).default('MEMBER') });

const spec = z.strictObject({
  allowedRegions: rest.teamCreate.shape.allowedRegions,
  members: z
    .array(member)
    .max(10_000)
    .refine((list) => new Set(list.map(({ user }) => user)).size === list.length, 'each user once')
    .default([]),
});

const members: Part<TeamRow> = {
  field: 'members',
  changes: (wanted, row) => {
    const present = new Map((row?.members ?? []).map((one) => [one.email, one]));
    const list = spec.parse(wanted).members;
    const named = new Set(list.map(({ user }) => user));
    return [
      ...list.flatMap((one) => memberChange(one, present.get(one.user))),
      ...[...present.values()].filter((one) => !named.has(one.email)).map(removal),
    ];
  },
};

function memberChange(
  { user, role }: z.output<typeof member>,
  present: rest.TeamMember | undefined,
): PartChange[] {
  if (present?.role === role) return [];
  return [
    {
      path: `members.${user}`,
      before: present?.role,
      after: role,
      run: async (api, params, ids) => {
        const userId = ids.of('User', user);
        if (present === undefined) {
          await api.ask(rest.addTeamMember, { params, body: { userId, role } });
        } else {
          await api.ask(rest.updateTeamMember, { params: { ...params, userId }, body: { role } });
        }
      },
    },
  ];
}

function removal({ email: user, role, userId }: rest.TeamMember): PartChange {
  return {
    path: `members.${user}`,
    before: role,
    after: undefined,
    removes: true,
    run: async (api, params) =>
      void (await api.ask(rest.removeTeamMember, { params: { ...params, userId } })),
  };
}

export const teams: Kind<TeamRow> = {
  kind: 'Team',
  level: 'organisation',
  name: rest.name,
  repeats: false,
  spec,
  idParameter: 'teamId',
  sets: ['members', 'allowedRegions'],
  parts: [members],
  operations: () => ({
    create: rest.createTeam,
    get: rest.getTeam,
    update: rest.updateTeam,
    remove: rest.deleteTeam,
  }),
  list: async (api, { organisation }) => {
    const params = { organisationId: organisation?.id ?? '' };
    const rows = await api.all(rest.listTeams, params, { sort: 'createdAt' });
    return eachOf(rows, 4, async (team) => ({
      team,
      members: await api.all(rest.listTeamMembers, { ...params, teamId: team.id }),
    }));
  },
  idOf: ({ team }) => team.id,
  changedAt: ({ team }) => team.updatedAt,
  read: (row) => ({
    name: row.team.name,
    spec: {
      allowedRegions: row.team.allowedRegions,
      members: row.members.map(({ email: user, role }) => ({ user, role })),
    },
  }),
  references: (given) =>
    spec
      .parse(given)
      .members.flatMap(({ user }, index) => reference('User', user, ['members', index, 'user'])),
  body: (given, _ids, name) => ({ name, allowedRegions: spec.parse(given).allowedRegions }),
};
