import { rest } from '@tollgate/contracts';

import { serve, type Route } from '../../rest/call';
import * as members from './members';
import { create, get, list, remove, update } from './teams';

export const teamRoutes: Route[] = [
  serve(rest.listTeams, list),
  serve(rest.createTeam, create),
  serve(rest.getTeam, get),
  serve(rest.updateTeam, update),
  serve(rest.deleteTeam, remove),
  serve(rest.listTeamMembers, members.list),
  serve(rest.addTeamMember, members.add),
  serve(rest.updateTeamMember, members.update),
  serve(rest.removeTeamMember, members.remove),
];
