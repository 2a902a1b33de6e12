import { rest } from '@tollgate/contracts';
import type { DataSource, EntityManager } from 'typeorm';

import { recordChanges } from '../../audit';
import {
  admitAttempt,
  isTokenOf,
  linkCounts,
  originOf,
  sha256,
  type Links,
  type Passwords,
} from '../../auth';
import { OrganisationInvitation } from '../../entities/organisation-invitation.entity';
import { Organisation } from '../../entities/organisation.entity';
import { admitInvited, isOpen } from '../../membership';
import { serve, serveOpen, type Route } from '../../rest/call';
import { invalid } from '../../rest/field-errors';
import { create, get, list, resend, revoke } from './invitations';

/** Invitations: managed by administrators, accepted by the holder of a link. */
export function createInvitationRoutes(deps: {
  readonly orm: DataSource;
  readonly passwords: Passwords;
  readonly links: Links;
}): Route[] {
  const { orm, passwords, links } = deps;
  return [
    serve(rest.listInvitations, list),
    serve(rest.createInvitation, (call) => create(call, links)),
    serve(rest.getInvitation, get),
    serve(rest.resendInvitation, (call) => resend(call, links)),
    serve(rest.revokeInvitation, revoke),

    serveOpen(rest.lookUpInvitation, async (call) => {
      const succeeded = await admitAttempt(call, linkCounts(call.remoteAddress));
      const found = await openInvitation(call.db, call.body.token, call.nowMs, false);
      await succeeded();
      const { organisationId, email, role, expiresAt } = found;
      const { name } = await call.db.findOneByOrFail(Organisation, { id: organisationId });
      return { email, role, organisationName: name, expiresAt: expiresAt.toISOString() };
    }),

    serveOpen(rest.acceptInvitation, async (call) => {
      const { token, name, password } = call.body;
      const succeeded = await admitAttempt(call, linkCounts(call.remoteAddress));
      // Checked before the expensive hashing, and again under a lock when it is consumed.
      await openInvitation(call.db, token, call.nowMs, false);
      const passwordHash = await passwords.hash(password);
      const email = await orm.transaction(async (tx) => {
        const found = await openInvitation(tx, token, call.nowMs, true);
        const { user, changes } = await admitInvited(tx, found, { name, passwordHash }, call.nowMs);
        await recordChanges(tx, { actor: user, ...originOf(call) }, changes);
        return user.email;
      });
      await succeeded();
      return { email };
    }),
  ];
}

/** The open invitation of a link; throws 422. */
async function openInvitation(
  db: EntityManager,
  token: string,
  nowMs: number,
  lock: boolean,
): Promise<OrganisationInvitation> {
  const found = await db.findOne(OrganisationInvitation, {
    where: { tokenSha256: sha256(token) },
    ...(lock ? { lock: { mode: 'pessimistic_write' } } : {}),
  });
  const fits = found !== null && isTokenOf(found.tokenSha256, token);
  if (!fits || !(await isOpen(db, found, nowMs))) {
    throw invalid(
      'token',
      'was used, revoked or replaced, or has expired; ask to be invited again',
    );
  }
  return found;
}
