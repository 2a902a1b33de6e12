import { asksService } from '@tollgate/contracts';

import { ScreeningPolicy } from '../../entities/screening-policy.entity';
import type { Call } from '../../rest/call';
import { addVersion } from '../screening-policies/add-version';

type Within = Pick<Call, 'actor' | 'db' | 'organisation' | 'nowMs'>;

/** The policies whose rules ask some service, locked. `service`: this one only. */
export async function askingPolicies(
  { db, organisation }: Pick<Within, 'db' | 'organisation'>,
  service?: string,
): Promise<ScreeningPolicy[]> {
  const policies = await db.find(ScreeningPolicy, {
    where: { organisationId: organisation.id },
    order: { id: 'ASC' },
    lock: { mode: 'pessimistic_write' },
  });
  return policies.filter(({ rules }) =>
    rules.some((rule) => asksService(rule) && (service === undefined || rule.service === service)),
  );
}

/**
 * Gives each policy whose rules ask a service a new version with the same rules. Edges keep what a
 * version needs, its services included.
 */
export async function renewAskingPolicies(call: Within): Promise<void> {
  const { db, nowMs } = call;
  for (const { id: policyId, rules, version: before } of await askingPolicies(call)) {
    const version = before + 1;
    await addVersion(call, policyId, version, rules);
    await db.update(ScreeningPolicy, { id: policyId }, { version, updatedAt: new Date(nowMs) });
  }
}
