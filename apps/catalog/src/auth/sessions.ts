import { createHash, randomBytes } from 'node:crypto';
import { uuidv7 } from '@tollgate/kit';
import type { EntityManager } from 'typeorm';
import { RefreshToken } from '../resources/users/refresh-token.entity';

/**
 * Sessions: a family of refresh tokens of which each is exchanged once. A token that comes a second
 * time has been copied, so its whole family ends.
 */

export const SESSION_SECONDS = 14 * 24 * 3600;

/**
 * Two tabs may refresh with one cookie at the same moment. Within this span a used token gets a
 * sibling instead of ending the session.
 */
const LEEWAY_MS = 10_000;

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
  nowMs: number,
): Promise<{ sessionId: string; token: string }> {
  const sessionId = uuidv7();
  return { sessionId, token: await addToken(tx, userId, sessionId, nowMs) };
}

/** Exchanges a refresh token. A refusal is a value: what it ends must be committed. */
export async function refreshSession(
  tx: EntityManager,
  token: string,
  nowMs: number,
): Promise<Refreshed> {
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
  return { ok: true, userId, sessionId, token: await addToken(tx, userId, sessionId, nowMs) };
}

/** The session a token belongs to, whatever has become of it. */
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
  const query = tx
    .createQueryBuilder()
    .update(RefreshToken)
    .set({ revokedAt: new Date(nowMs) })
    .where('revoked_at IS NULL');
  if ('familyId' in which) {
    query.andWhere('family_id = :familyId', { familyId: which.familyId });
  } else {
    query.andWhere('user_id = :userId', { userId: which.userId });
    if (which.exceptFamilyId !== undefined) {
      query.andWhere('family_id <> :except', { except: which.exceptFamilyId });
    }
  }
  await query.execute();
}

async function addToken(
  tx: EntityManager,
  userId: string,
  familyId: string,
  nowMs: number,
): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  await tx.insert(RefreshToken, {
    id: uuidv7(),
    userId,
    familyId,
    tokenSha256: sha256(token),
    expiresAt: new Date(nowMs + SESSION_SECONDS * 1000),
    usedAt: null,
    revokedAt: null,
  });
  return token;
}

function sha256(token: string): Buffer {
  return createHash('sha256').update(token, 'utf8').digest();
}
