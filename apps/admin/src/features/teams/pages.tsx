import { rest } from '@tollgate/contracts';

import { listInput } from '../../resource/list-input';
import type { OrganisationPage } from '../../server/pages';
import { Team } from './team';
import { Teams } from './teams';

export const teamsPage: OrganisationPage = {
  reads: (ask, { organisationId, get }) => [
    ask(rest.listTeams, { params: { organisationId }, query: listInput(rest.listTeams, get) }),
  ],
  view: () => <Teams />,
};

export const teamPage: OrganisationPage = {
  reads: (ask, { organisationId, get, path: { id: teamId = '' } }) => [
    ask(rest.getTeam, { params: { organisationId, teamId } }),
    ask(rest.listTeamMembers, {
      params: { organisationId, teamId },
      query: listInput(rest.listTeamMembers, get),
    }),
  ],
  view: ({ path: { id: teamId = '' } }) => <Team teamId={teamId} />,
};
