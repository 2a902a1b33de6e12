import type { KeyRing } from '@tollgate/contracts/node';
import { uuidv7 } from '@tollgate/kit';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';

import { User } from '../entities/user.entity';
import { enqueueLetter } from '../mail';
import { sealContent } from '../mail/outbox';
import { invalid } from '../rest/field-errors';
import { PasswordReset } from './password-reset.entity';
import { endSessions, lockAccount } from './sessions';
import { maySignIn } from './sign-in';
import { isTokenOf, newToken, sha256 } from './tokens';

/** Links that set a new password: requested by a user, or created by an administrator. */

/** A requested link lives for an hour; one that an administrator hands over needs more time. */
const ASKED_LIFE_MS = 3_600_000;
const MADE_LIFE_MS = 24 * 3_600_000;

export interface Links {
  /** The console's URL, without a trailing slash. */
  readonly consoleUrl: string;
  readonly keyRing: KeyRing;
  /** Whether mail can be sent. Otherwise links are shown to the administrator who creates them. */
  readonly mail: boolean;
}

/**
 * The token is in the fragment, which browsers never send to a server, so no access log holds it.
 */
export function resetLinkOf(consoleUrl: string, token: string): string {
  return `${consoleUrl}/reset-password#token=${token}`;
}

/**
 * Puts a letter with a link into the outbox if the address belongs to an account that may sign in.
 * The same statement runs either way, so that its timing hardly reveals whether the account exists;
 * throttling prevents measuring it. Returns the account, for the audit trail only.
 */
export async function requestReset(
  tx: EntityManager,
  { consoleUrl, keyRing }: Links,
  email: string,
  nowMs: number,
): Promise<{ id: string; organisationId: string | null } | undefined> {
  const token = newToken();
  const expiresAt = new Date(nowMs + ASKED_LIFE_MS);
  const mailId = uuidv7();
  const link = resetLinkOf(consoleUrl, token);
  const sealed = sealContent(keyRing, mailId, { link, expiresAt: formatTime(expiresAt) });
  const found: unknown = await tx.query(
    `WITH account AS (
       SELECT u.id, u.organisation_id, u.email FROM user_account u
         LEFT JOIN organisation o ON o.id = u.organisation_id
        WHERE u.email = $1 AND u.status = 'ACTIVE' AND (o.id IS NULL OR o.status = 'ACTIVE')
          FOR NO KEY UPDATE OF u
     ), replaced AS (
       DELETE FROM password_reset WHERE user_id IN (SELECT id FROM account)
     ), reset AS (
       INSERT INTO password_reset (id, user_id, token_sha256, expires_at)
       SELECT $2, id, $3, $4 FROM account
     ), letter AS (
       INSERT INTO mail_outbox
         (id, organisation_id, kind, recipient, sealed, next_attempt_at, expires_at)
       SELECT $5, organisation_id, 'PASSWORD_RESET', email, $6::jsonb, $7, $4 FROM account
     )
     SELECT id, organisation_id AS "organisationId" FROM account`,
    [email, uuidv7(), sha256(token), expiresAt, mailId, sealed, new Date(nowMs)],
  );
  return accounts.parse(found)[0];
}

const accounts = z.array(z.object({ id: z.string(), organisationId: z.string().nullable() }));

/** Creates a link for a user: mailed, or returned when no mail can be sent. */
export async function makeResetLink(
  tx: EntityManager,
  { consoleUrl, keyRing, mail }: Links,
  user: User,
  nowMs: number,
): Promise<{ link: string | null; expiresAt: string }> {
  const token = newToken();
  const link = resetLinkOf(consoleUrl, token);
  const expiresAt = new Date(nowMs + MADE_LIFE_MS);
  await dropResetLinks(tx, user.id);
  await tx.insert(PasswordReset, {
    id: uuidv7(),
    userId: user.id,
    tokenSha256: sha256(token),
    expiresAt,
    usedAt: null,
  });
  if (mail) {
    const letter = {
      kind: 'PASSWORD_RESET' as const,
      organisationId: user.organisationId,
      recipient: user.email,
      content: { link, expiresAt: formatTime(expiresAt) },
      expiresAtMs: expiresAt.getTime(),
    };
    await enqueueLetter(tx, keyRing, letter, nowMs);
  }
  return { link: mail ? null : link, expiresAt: expiresAt.toISOString() };
}

/** Invalidates every link of a user, after a change that makes them obsolete. */
export async function dropResetLinks(tx: EntityManager, userId: string): Promise<void> {
  await tx.delete(PasswordReset, { userId });
}

/** The user behind an open link, locked when it is to be used. Throws 422. */
export async function findResetUser(
  tx: EntityManager,
  token: string,
  nowMs: number,
  lock: boolean,
): Promise<User> {
  const where = { tokenSha256: sha256(token) };
  if (lock) {
    // Lock order: the account before its links.
    const named = await tx.findOneBy(PasswordReset, where);
    if (named !== null) await lockAccount(tx, named.userId);
  }
  const found = await tx.findOne(PasswordReset, {
    where,
    ...(lock ? { lock: { mode: 'pessimistic_write' } } : {}),
  });
  const open =
    found !== null &&
    isTokenOf(found.tokenSha256, token) &&
    found.usedAt === null &&
    found.expiresAt.getTime() > nowMs;
  const user = open ? await tx.findOneBy(User, { id: found.userId }) : null;
  if (user === null || !(await maySignIn(tx, user))) {
    throw invalid('token', 'was used or replaced, or has expired; request another link');
  }
  return user;
}

/** Consumes the link: sets the password and ends all sessions. */
export async function finishReset(
  tx: EntityManager,
  user: User,
  passwordHash: string,
  nowMs: number,
): Promise<void> {
  await tx.update(PasswordReset, { userId: user.id }, { usedAt: new Date(nowMs) });
  await tx.update(User, { id: user.id }, { passwordHash });
  await endSessions(tx, { userId: user.id }, nowMs);
}

/** An instant in UTC, to the minute, for letters. */
export function formatTime(instant: Date): string {
  return `${instant.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
