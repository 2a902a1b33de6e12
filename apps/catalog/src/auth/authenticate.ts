import { restError, ROLES } from '@tollgate/contracts';
import type { Clock } from '@tollgate/kit';
import type { DataSource } from 'typeorm';
import { z } from 'zod';

import type { Actor } from '../rest/call';
import type { AccessTokens } from './access-token';

/**
 * The caller behind an access token, read from the database for every call: a disabled user,
 * suspended organisation, ended session or changed role takes effect at once, not when the token
 * expires.
 */

const SQL = `
  SELECT u.id, u.email, u.name, u.role,
    CASE WHEN o.id IS NOT NULL THEN json_build_object(
      'id', o.id, 'name', o.name, 'slug', o.slug, 'timeZone', o.time_zone) END AS organisation,
    (SELECT coalesce(json_agg(json_build_object('teamId', m.team_id, 'role', m.role)), '[]')
       FROM team_member m JOIN team t ON t.id = m.team_id
      WHERE m.user_id = u.id AND t.status = 'ACTIVE') AS memberships
  FROM user_account u
  LEFT JOIN organisation o ON o.id = u.organisation_id
  WHERE u.id = $1 AND u.status = 'ACTIVE' AND (o.id IS NULL OR o.status = 'ACTIVE')
    AND EXISTS (SELECT 1 FROM refresh_token r WHERE r.family_id = $2 AND r.user_id = u.id
                   AND r.used_at IS NULL AND r.revoked_at IS NULL AND r.expires_at > $3)`;

const rows = z.array(
  z.object({
    id: z.string(),
    email: z.string(),
    name: z.string(),
    role: z.enum(ROLES),
    organisation: z
      .object({ id: z.string(), name: z.string(), slug: z.string(), timeZone: z.string() })
      .nullable(),
    memberships: z.array(z.object({ teamId: z.string(), role: z.string() })),
  }),
);

export function createAuthenticate(deps: {
  orm: DataSource;
  clock: Clock;
  accessTokens: AccessTokens;
}): (header: string | undefined) => Promise<Actor> {
  return async (header) => {
    const { userId, sessionId } = deps.accessTokens.read(header);
    const found = await deps.orm.query(SQL, [userId, sessionId, new Date(deps.clock.now())]);
    const [row] = rows.parse(found);
    if (row === undefined) throw restError('unauthenticated');
    const { memberships, ...user } = row;
    const managed = memberships.filter(({ role }) => role === 'MANAGER' && user.role === 'MANAGER');
    return {
      ...user,
      sessionId,
      teamIds: memberships.map(({ teamId }) => teamId),
      managedTeamIds: managed.map(({ teamId }) => teamId),
    };
  };
}
