import { z } from 'zod';

import { regionSet } from '../regions';
import { endpoint } from './endpoint';
import { id, instant, listQuery, name, page, patchOf, search, spentThisMonth } from './fields';

export const TEAM_ROLES = ['MANAGER', 'MEMBER'] as const;
export type TeamRole = (typeof TEAM_ROLES)[number];

export const team = z
  .object({
    id,
    organisationId: id,
    name: z.string(),
    memberCount: z.int(),
    allowedRegions: z.array(z.string()),
    createdAt: instant,
    updatedAt: instant,
  })
  .meta({ id: 'Team' });
export type Team = z.output<typeof team>;

/** In lists only: the ETag of a team must not change with its usage. */
export const listedTeam = team.extend({ spentUsd: spentThisMonth }).meta({ id: 'ListedTeam' });
export type ListedTeam = z.output<typeof listedTeam>;

export const teamMember = z
  .object({
    teamId: id,
    userId: id,
    name: z.string(),
    email: z.string(),
    role: z.enum(TEAM_ROLES),
    createdAt: instant,
  })
  .meta({ id: 'TeamMember' });
export type TeamMember = z.output<typeof teamMember>;

const allowedRegions = regionSet.meta({
  description:
    "Regions in which requests of the team's keys may be processed; empty: it adds no rule.",
});

export const teamCreate = z
  .strictObject({ name, allowedRegions: allowedRegions.default([]) })
  .meta({ id: 'TeamCreate' });
export type TeamCreate = z.output<typeof teamCreate>;
export const teamPatch = patchOf({ name, allowedRegions }).meta({ id: 'TeamPatch' });
export type TeamPatch = z.output<typeof teamPatch>;

export const teamMemberCreate = z
  .strictObject({ userId: id, role: z.enum(TEAM_ROLES).default('MEMBER') })
  .meta({ id: 'TeamMemberCreate' });
export type TeamMemberCreate = z.output<typeof teamMemberCreate>;
export const teamMemberPatch = z
  .strictObject({ role: z.enum(TEAM_ROLES) })
  .meta({ id: 'TeamMemberPatch' });

const tag = 'Teams';
const teamsPath = '/api/organisations/:organisationId/teams';
const teamPath = '/api/organisations/:organisationId/teams/:teamId';

export const listTeams = endpoint({
  id: 'listTeams',
  tag,
  summary: 'Teams; managers and users see their own',
  method: 'GET',
  path: teamsPath,
  access: 'teams.read',
  query: listQuery(['createdAt', 'name', 'spentUsd'], {
    search,
    userId: id.optional().meta({ description: 'Only teams of this user.' }),
  }),
  response: page(listedTeam),
});

export const createTeam = endpoint({
  id: 'createTeam',
  tag,
  summary: 'Create a team',
  method: 'POST',
  path: teamsPath,
  access: 'teams.write',
  body: teamCreate,
  response: team,
  status: 201,
});

export const getTeam = endpoint({
  id: 'getTeam',
  tag,
  summary: 'One team',
  method: 'GET',
  path: teamPath,
  access: 'teams.read',
  response: team,
  etag: true,
});

export const updateTeam = endpoint({
  id: 'updateTeam',
  tag,
  summary: 'Change a team',
  method: 'PATCH',
  path: teamPath,
  access: 'teams.write',
  body: teamPatch,
  response: team,
  etag: true,
});

export const deleteTeam = endpoint({
  id: 'deleteTeam',
  tag,
  summary: 'Delete a team with its limits: its keys are revoked, its usage records are kept',
  method: 'DELETE',
  path: teamPath,
  access: 'teams.write',
});

export const listTeamMembers = endpoint({
  id: 'listTeamMembers',
  tag,
  summary: 'Members of a team',
  method: 'GET',
  path: `${teamPath}/members`,
  access: 'team-members.read',
  query: listQuery(['userId'], { search, role: z.enum(TEAM_ROLES).optional() }),
  response: page(teamMember),
});

export const addTeamMember = endpoint({
  id: 'addTeamMember',
  tag,
  summary: 'Add a user to a team',
  method: 'POST',
  path: `${teamPath}/members`,
  access: 'team-members.write',
  body: teamMemberCreate,
  response: teamMember,
  status: 201,
});

export const updateTeamMember = endpoint({
  id: 'updateTeamMember',
  tag,
  summary: "Change a member's role in the team",
  method: 'PATCH',
  path: `${teamPath}/members/:userId`,
  access: 'team-members.write',
  body: teamMemberPatch,
  response: teamMember,
});

export const removeTeamMember = endpoint({
  id: 'removeTeamMember',
  tag,
  summary: "Remove a user from a team; the user's keys that charge the team are revoked",
  method: 'DELETE',
  path: `${teamPath}/members/:userId`,
  access: 'team-members.write',
});
