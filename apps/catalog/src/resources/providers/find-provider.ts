import { restError } from '@tollgate/contracts';
import type { AddressRules, KeyRing } from '@tollgate/contracts/node';
import { In } from 'typeorm';

import { Provider } from '../../entities/provider.entity';
import type { Call } from '../../rest/call';
import type { AmbientRules } from './cloud-checks';

export interface ProviderDeps {
  readonly keyRing: KeyRing;
  /** Private networks that base URLs may point into. */
  readonly addressRules: AddressRules;
  readonly ambient: AmbientRules;
}

/** A provider of the organisation, or 404. Locked when `lock` is set. */
export async function findProvider(
  call: Pick<Call, 'db' | 'organisation'>,
  id: string,
  lock = false,
): Promise<Provider> {
  const found = await call.db.findOne(Provider, {
    where: { id, organisationId: call.organisation.id, status: In(['ACTIVE', 'DISABLED']) },
    ...(lock ? { lock: { mode: 'pessimistic_write' } } : {}),
  });
  if (found === null) throw restError('not_found');
  return found;
}
