import { rest } from '@tollgate/contracts';
import type { DataSource } from 'typeorm';

import { recordChanges } from '../audit';
import { serveOpen, type Route } from '../rest/call';
import { findResetUser, finishReset, requestReset, type Links } from './password-reset';
import type { Passwords } from './passwords';
import { originOf } from './sign-in';
import { admitAttempt, linkCounts, resetRequestCounts } from './throttle';

/** Routes that set a new password without the old one. */
export function createPasswordResetRoutes(deps: {
  readonly orm: DataSource;
  readonly passwords: Passwords;
  readonly links: Links;
}): Route[] {
  const { orm, passwords, links } = deps;
  return [
    serveOpen(rest.requestPasswordReset, async (call) => {
      const { email } = call.body;
      // Every request counts, also successful ones.
      await admitAttempt(call, resetRequestCounts(email, call.remoteAddress));
      if (!links.mail) return;
      await orm.transaction(async (tx) => {
        const user = await requestReset(tx, links, email, call.nowMs);
        if (user === undefined) return;
        await recordChanges(tx, { actor: null, ...originOf(call) }, [
          {
            action: 'password-reset.request',
            organisationId: user.organisationId,
            target: { type: 'user', id: user.id },
          },
        ]);
      });
    }),

    serveOpen(rest.confirmPasswordReset, async (call) => {
      const { token, newPassword } = call.body;
      const succeeded = await admitAttempt(call, linkCounts(call.remoteAddress));
      // Checked before the expensive hashing, and again under a lock when the link is used.
      await findResetUser(call.db, token, call.nowMs, false);
      const passwordHash = await passwords.hash(newPassword);
      await orm.transaction(async (tx) => {
        const user = await findResetUser(tx, token, call.nowMs, true);
        await finishReset(tx, user, passwordHash, call.nowMs);
        await recordChanges(tx, { actor: user, ...originOf(call) }, [
          {
            action: 'password-reset.confirm',
            organisationId: user.organisationId,
            target: { type: 'user', id: user.id },
          },
        ]);
      });
      await succeeded();
    }),
  ];
}
