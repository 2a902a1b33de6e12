import { rest } from '@tollgate/contracts';
import { uuidv7 } from '@tollgate/kit';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';

import { User } from '../entities/user.entity';
import { RefreshToken } from './refresh-token.entity';
import { newToken, sha256 } from './tokens';

/**
 * Sessions: a family of refresh tokens, each exchanged once. A token used twice was copied, so its
 * family is revoked.
 */

export const SESSION_SECONDS = 14 * 24 * 3600;

/**
 * Two tabs may refresh with one cookie at the same moment. Within this span a used token gets a
 * sibling instead of ending the session.
 */
const LEEWAY_MS = 10_000;

/** Beyond this number, a new sign-in ends the oldest session. */
const MAX_SESSIONS = 50;

/** What identifies a session to its owner. */
export interface SessionOrigin {
  readonly method: rest.SessionMethod;
  readonly userAgent: string | null;
  readonly remoteAddress: string | null;
}

export type Refreshed =
  | {
      readonly ok: true;
      readonly userId: string;
      readonly sessionId: string;
      readonly token: string;
    }
  | {
      readonly ok: false;
      readonly reused?: { readonly userId: string; readonly sessionId: string };
    };

export async function openSession(
  tx: EntityManager,
  userId: string,
  origin: SessionOrigin,
  nowMs: number,
): Promise<{ sessionId: string; token: string }> {
  const sessionId = uuidv7();
  const sessionStartedAt = new Date(nowMs);
  const { method, userAgent, remoteAddress } = origin;
  const told = { method, userAgent, remoteAddress, sessionStartedAt };
  const token = await addToken(tx, { userId, familyId: sessionId, ...told }, nowMs);
  const sessions = await liveSessions(tx, userId, nowMs);
  for (const { id } of sessions.slice(MAX_SESSIONS)) {
    await endSessions(tx, { familyId: id }, nowMs);
  }
  return { sessionId, token };
}

/**
 * Locks an account's row. Everything that opens, continues or ends its sessions takes this lock
 * first, before any lock on tokens or links, so that no token is added while sessions are being
 * ended.
 */
export function lockAccount(tx: EntityManager, userId: string): Promise<User | null> {
  return tx.findOne(User, { where: { id: userId }, lock: { mode: 'for_no_key_update' } });
}

/** Exchanges a refresh token. A refusal is a value, because what it revokes must be committed. */
export async function refreshSession(
  tx: EntityManager,
  token: string,
  nowMs: number,
): Promise<Refreshed> {
  const known = await sessionOf(tx, token);
  if (known === undefined) return { ok: false };
  await lockAccount(tx, known.userId);
  const found = await tx.findOne(RefreshToken, {
    where: { tokenSha256: sha256(token) },
    lock: { mode: 'pessimistic_write' },
  });
  if (found === null || found.revokedAt !== null || found.expiresAt.getTime() <= nowMs) {
    return { ok: false };
  }
  const { userId, familyId: sessionId } = found;
  if (found.usedAt !== null && nowMs - found.usedAt.getTime() > LEEWAY_MS) {
    await endSessions(tx, { familyId: sessionId }, nowMs);
    return { ok: false, reused: { userId, sessionId } };
  }
  if (found.usedAt === null) {
    await tx.update(RefreshToken, { id: found.id }, { usedAt: new Date(nowMs) });
  }
  const { method, userAgent, remoteAddress } = found;
  const sessionStartedAt = found.sessionStartedAt ?? found.createdAt;
  const told = { method, userAgent, remoteAddress, sessionStartedAt };
  const next = await addToken(tx, { userId, familyId: sessionId, ...told }, nowMs);
  return { ok: true, userId, sessionId, token: next };
}

/** The session of a token, whatever its state. */
export async function sessionOf(
  tx: EntityManager,
  token: string,
): Promise<{ userId: string; sessionId: string } | undefined> {
  const found = await tx.findOneBy(RefreshToken, { tokenSha256: sha256(token) });
  return found === null ? undefined : { userId: found.userId, sessionId: found.familyId };
}

export async function endSessions(
  tx: EntityManager,
  which: { familyId: string } | { userId: string; exceptFamilyId?: string | undefined },
  nowMs: number,
): Promise<void> {
  const userId = 'userId' in which ? which.userId : await userOf(tx, which.familyId);
  if (userId === undefined) return;
  await lockAccount(tx, userId);
  const query = tx
    .createQueryBuilder()
    .update(RefreshToken)
    .set({ revokedAt: new Date(nowMs) })
    .where('revoked_at IS NULL');
  if ('familyId' in which) {
    query.andWhere('family_id = :familyId', { familyId: which.familyId });
  } else {
    query.andWhere('user_id = :userId', { userId });
    if (which.exceptFamilyId !== undefined) {
      query.andWhere('family_id <> :except', { except: which.exceptFamilyId });
    }
  }
  await query.execute();
}

async function userOf(tx: EntityManager, familyId: string): Promise<string | undefined> {
  const found = await tx.findOneBy(RefreshToken, { familyId });
  return found?.userId;
}

const liveRows = z.array(
  z.object({
    id: z.string(),
    method: z.enum(rest.SESSION_METHODS).nullable(),
    userAgent: z.string().nullable(),
    remoteAddress: z.string().nullable(),
    createdAt: z.date(),
    lastSeenAt: z.date(),
  }),
);

export type LiveSession = z.output<typeof liveRows>[number];

/** The sessions of a user that can be continued, newest first. */
export async function liveSessions(
  db: EntityManager,
  userId: string,
  nowMs: number,
): Promise<LiveSession[]> {
  const found: unknown = await db.query(
    `SELECT DISTINCT ON (family_id) family_id AS id, method, user_agent AS "userAgent",
            remote_address AS "remoteAddress",
            coalesce(session_started_at, created_at) AS "createdAt", seen_at AS "lastSeenAt"
       FROM (SELECT *, expires_at - make_interval(secs => $3) AS seen_at FROM refresh_token) token
      WHERE user_id = $1 AND used_at IS NULL AND revoked_at IS NULL AND expires_at > $2
      ORDER BY family_id, id DESC`,
    [userId, new Date(nowMs), SESSION_SECONDS],
  );
  return liveRows
    .parse(found)
    .toSorted((a, b) => b.lastSeenAt.getTime() - a.lastSeenAt.getTime() || (a.id < b.id ? 1 : -1));
}

async function addToken(
  tx: EntityManager,
  of: Pick<
    RefreshToken,
    'userId' | 'familyId' | 'method' | 'userAgent' | 'remoteAddress' | 'sessionStartedAt'
  >,
  nowMs: number,
): Promise<string> {
  const token = newToken();
  await tx.insert(RefreshToken, {
    id: uuidv7(),
    ...of,
    tokenSha256: sha256(token),
    expiresAt: new Date(nowMs + SESSION_SECONDS * 1000),
    usedAt: null,
    revokedAt: null,
  });
  return token;
}
