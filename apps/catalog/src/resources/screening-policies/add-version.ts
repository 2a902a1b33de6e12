import type { ScreeningRule } from '@tollgate/contracts';
import { uuidv7 } from '@tollgate/kit';

import { ScreeningPolicyVersion } from '../../entities/screening-policy-version.entity';
import type { Call } from '../../rest/call';

export async function addVersion(
  { actor, db, organisation }: Pick<Call, 'actor' | 'db' | 'organisation'>,
  policyId: string,
  version: number,
  rules: ScreeningRule[],
): Promise<void> {
  await db.insert(ScreeningPolicyVersion, {
    id: uuidv7(),
    organisationId: organisation.id,
    policyId,
    version,
    rules,
    createdBy: actor.id,
  });
}
