import { uuidv7 } from '@tollgate/kit';
import type { DataSource } from 'typeorm';

import { recordChanges } from '../audit';
import { User } from '../entities/user.entity';
import type { Passwords } from './passwords';

const BOOTSTRAP_LOCK = 7_081_120_011;

/**
 * Creates the first super admin in an installation without users. Idempotent when two catalogs
 * start at once. Returns whether it created one.
 */
export async function bootstrapAdmin(
  deps: { orm: DataSource; passwords: Passwords },
  admin: { email: string; password: string },
): Promise<boolean> {
  const passwordHash = await deps.passwords.hash(admin.password);
  return deps.orm.transaction(async (tx) => {
    await tx.query('SELECT pg_advisory_xact_lock($1)', [BOOTSTRAP_LOCK]);
    if (await tx.exists(User)) return false;
    const id = uuidv7();
    const email = admin.email.trim().toLowerCase();
    await tx.insert(User, {
      id,
      organisationId: null,
      email,
      name: 'Administrator',
      role: 'SUPER_ADMIN',
      passwordHash,
    });
    await recordChanges(tx, { actor: null, requestId: null, remoteAddress: null }, [
      {
        action: 'user.bootstrap',
        organisationId: null,
        target: { type: 'user', id },
        after: { email, role: 'SUPER_ADMIN' },
      },
    ]);
    return true;
  });
}
