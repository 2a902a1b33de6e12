import { rest } from '@tollgate/contracts';

import { listInput, type Get } from '../../resource/list-input';
import type { OrganisationPage, WidePage } from '../../server/pages';
import { narrowed } from './narrowed';
import { User } from './user';
import { UsersPage } from './users-page';

const TEAMS = { limit: 100 } as const;

export const usersPage: OrganisationPage = {
  reads: (ask, { organisationId, get, me }) =>
    showsInvitations(get, me)
      ? [
          ask(rest.listInvitations, {
            query: listInput(rest.listInvitations, get, narrowed(organisationId)),
          }),
        ]
      : [
          ask(rest.listUsers, {
            params: { organisationId },
            query: listInput(rest.listUsers, get),
          }),
        ],
  view: () => <UsersPage />,
};

export const platformUsersPage: WidePage = {
  reads: (ask, { organisationId, get, me }) => {
    const fixed = narrowed(organisationId);
    return showsInvitations(get, me)
      ? [ask(rest.listInvitations, { query: listInput(rest.listInvitations, get, fixed) })]
      : [ask(rest.listPlatformUsers, { query: listInput(rest.listPlatformUsers, get, fixed) })];
  },
  view: () => <UsersPage />,
};

function showsInvitations(get: Get, { actions }: rest.Me): boolean {
  return get('tab') === 'invitations' && actions.includes('invitations.read');
}

export const userPage: OrganisationPage = {
  reads: (ask, { organisationId, path: { id: userId = '' }, me }) => [
    ask(rest.getUser, { params: { organisationId, userId } }),
    ask(rest.listTeams, { params: { organisationId }, query: { userId, ...TEAMS } }),
    ...(me.actions.includes('sessions.read')
      ? [ask(rest.listUserSessions, { params: { organisationId, userId } })]
      : []),
    ...(me.actions.includes('identities.read')
      ? [ask(rest.listUserIdentities, { params: { organisationId, userId } })]
      : []),
  ],
  view: ({ path: { id: userId = '' } }) => <User userId={userId} />,
};
