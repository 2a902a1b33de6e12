import { rest, restError } from '@tollgate/contracts';
import type { EntityManager } from 'typeorm';

import { recordChanges } from '../audit';
import { Organisation } from '../entities/organisation.entity';
import type { User } from '../entities/user.entity';
import type { PublicCall } from '../rest/call';
import { cookieHeader } from '../rest/cookies';
import { lockAccount, openSession } from './sessions';
import { SsoRefusal } from './sso-refusal';

/** The last steps of every way of signing in. */

/**
 * Opens a session for an authenticated user and records it. Refuses if the account was disabled, or
 * its password changed, since it was verified.
 */
export async function signInUser(
  tx: EntityManager,
  call: PublicCall,
  user: Pick<User, 'id' | 'email' | 'organisationId'>,
  method: rest.SessionMethod,
  verifiedHash?: string,
): Promise<{ sessionId: string; token: string }> {
  const account = await lockAccount(tx, user.id);
  const right = verifiedHash === undefined || account?.passwordHash === verifiedHash;
  if (account?.status !== 'ACTIVE' || !right) {
    throw method === 'SSO'
      ? new SsoRefusal('sso_account_disabled')
      : restError('invalid_credentials');
  }
  await tx.query('UPDATE user_account SET last_login_at = $2 WHERE id = $1', [
    user.id,
    new Date(call.nowMs),
  ]);
  const { userAgent, remoteAddress } = call;
  const made = await openSession(tx, user.id, { method, userAgent, remoteAddress }, call.nowMs);
  await recordChanges(tx, { actor: user, ...originOf(call) }, [
    {
      action: 'session.open',
      organisationId: user.organisationId,
      target: { type: 'session', id: made.sessionId },
      after: { method },
    },
  ]);
  return made;
}

export async function maySignIn(
  db: EntityManager,
  user: Pick<User, 'status' | 'organisationId'>,
): Promise<boolean> {
  if (user.status !== 'ACTIVE') return false;
  if (user.organisationId === null) return true;
  const found = await db.findOneBy(Organisation, { id: user.organisationId });
  return found?.status === 'ACTIVE';
}

export function refreshCookie(call: PublicCall, value: string, maxAgeSeconds: number): string {
  const options = { path: '/api/auth', maxAgeSeconds, secure: call.encrypted };
  return cookieHeader(rest.REFRESH_COOKIE, value, options);
}

export function setRefreshCookie(call: PublicCall, value: string, maxAgeSeconds: number): void {
  call.setHeader('set-cookie', refreshCookie(call, value, maxAgeSeconds));
}

export function originOf(call: PublicCall): { requestId: string; remoteAddress: string } {
  return { requestId: call.requestId, remoteAddress: call.remoteAddress };
}
