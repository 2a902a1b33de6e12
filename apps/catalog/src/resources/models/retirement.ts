import type { rest } from '@tollgate/contracts';
import { In } from 'typeorm';

import { Model } from '../../entities/model.entity';
import type { Call } from '../../rest/call';
import { invalid } from '../../rest/field-errors';

/**
 * A retirement as it is stored, with instants in UTC. Throws where its replacement is no model of the organisation,
 * or the retired model itself.
 */
export async function storedRetirement(
  { db, organisation }: Pick<Call, 'db' | 'organisation'>,
  given: rest.Retirement | null,
  ofModel?: string,
): Promise<rest.Retirement | null> {
  if (given === null) return null;
  const { deprecatedAt, sunsetAt, replacementModelId: id } = given;
  if (id !== null) {
    const path = 'retirement.replacementModelId';
    if (id === ofModel) throw invalid(path, 'a model does not replace itself');
    const found = await db.existsBy(Model, {
      id,
      organisationId: organisation.id,
      status: In(['ACTIVE', 'DISABLED']),
    });
    if (!found) throw invalid(path, 'no such model in this organisation');
  }
  return { ...given, deprecatedAt: utc(deprecatedAt), sunsetAt: utc(sunsetAt) };
}

export function utc(instant: string | null): string | null {
  return instant === null ? null : new Date(instant).toISOString();
}
