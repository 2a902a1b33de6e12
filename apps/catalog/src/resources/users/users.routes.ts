import { rest, restError } from '@tollgate/contracts';

import type { Links, Passwords } from '../../auth';
import { serve, type Call, type Route } from '../../rest/call';
import {
  create,
  createResetLink,
  find,
  list,
  listWithSpend,
  represent,
  setPassword,
  setStatus,
  update,
  type Within,
} from './users';

/** Users of one organisation, and across all organisations for the platform. */
export function createUserRoutes(deps: { passwords: Passwords; links: Links }): Route[] {
  const { passwords, links } = deps;
  return [
    serve(rest.listUsers, (call) =>
      listWithSpend(call, (rows) => {
        rows.where('account.organisationId = :organisationId', {
          organisationId: call.organisation.id,
        });
        if (call.access.reach === 'self') {
          rows.andWhere('account.id = :self', { self: call.access.userId });
        }
        if (call.query.teamId !== undefined) {
          rows.andWhere(
            `EXISTS (SELECT FROM team_member m WHERE m.user_id = account.id AND m.team_id = :teamId)`,
            { teamId: call.query.teamId },
          );
        }
      }),
    ),
    serve(rest.createUser, (call) =>
      create(call, passwords, { ...call.body, organisationId: call.organisation.id }),
    ),
    serve(rest.getUser, async (call) => {
      const { userId } = call.params;
      const unseen = call.access.reach === 'self' && userId !== call.access.userId;
      if (unseen) throw restError('not_found');
      return represent(await find(call.db, own(call), userId));
    }),
    serve(rest.updateUser, (call) => update(call, own(call), call.params.userId, call.body)),
    serve(rest.setUserPassword, (call) =>
      setPassword(call, passwords, own(call), call.params.userId, call.body.password),
    ),
    serve(rest.createUserResetLink, (call) =>
      createResetLink(call, links, own(call), call.params.userId),
    ),
    serve(rest.disableUser, (call) => setStatus(call, own(call), call.params.userId, 'DISABLED')),
    serve(rest.enableUser, (call) => setStatus(call, own(call), call.params.userId, 'ACTIVE')),

    serve(rest.listPlatformUsers, (call) =>
      list(call.db, call.query, (rows) => {
        const { organisationId } = call.query;
        if (organisationId !== undefined) {
          rows.where('account.organisationId = :organisationId', { organisationId });
        }
      }),
    ),
    serve(rest.createPlatformUser, (call) => create(call, passwords, call.body)),
    serve(rest.getPlatformUser, async (call) =>
      represent(await find(call.db, 'everywhere', call.params.userId)),
    ),
    serve(rest.updatePlatformUser, (call) =>
      update(call, 'everywhere', call.params.userId, call.body),
    ),
    serve(rest.setPlatformUserPassword, (call) =>
      setPassword(call, passwords, 'everywhere', call.params.userId, call.body.password),
    ),
    serve(rest.createPlatformUserResetLink, (call) =>
      createResetLink(call, links, 'everywhere', call.params.userId),
    ),
    serve(rest.disablePlatformUser, (call) =>
      setStatus(call, 'everywhere', call.params.userId, 'DISABLED'),
    ),
    serve(rest.enablePlatformUser, (call) =>
      setStatus(call, 'everywhere', call.params.userId, 'ACTIVE'),
    ),
  ];
}

function own(call: Pick<Call, 'organisation'>): Within {
  return { organisationId: call.organisation.id };
}
