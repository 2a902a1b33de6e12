import type { rest } from '@tollgate/contracts';
import { In } from 'typeorm';

import { ModelAlias } from '../../entities/model-alias.entity';
import { Model } from '../../entities/model.entity';
import type { Call } from '../../rest/call';
import { conflict, invalid } from '../../rest/field-errors';

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
    // Locked, so that it is not deleted before the announcement commits.
    const found = await db.findOne(Model, {
      select: { id: true },
      where: { id, organisationId: organisation.id, status: In(['ACTIVE', 'DISABLED']) },
      lock: { mode: 'pessimistic_read' },
    });
    if (found === null) throw invalid(path, 'no such model in this organisation');
  }
  return { ...given, deprecatedAt: utc(deprecatedAt), sunsetAt: utc(sunsetAt) };
}

/** Throws if the model replaces another one, or an alias, that comes to an end. */
export async function assertNoReplacement(
  { db, organisation }: Pick<Call, 'db' | 'organisation'>,
  modelId: string,
): Promise<void> {
  const values = { organisationId: organisation.id, modelId, named: modelId };
  const names = (alias: string): string =>
    `${alias}.organisationId = :organisationId AND ${alias}.retirement ->> 'replacementModelId' = :named`;
  const replaced =
    (await db
      .createQueryBuilder(Model, 'model')
      .where(`${names('model')} AND model.id <> :modelId AND model.status <> 'ARCHIVED'`, values)
      .getOne()) ??
    (await db.createQueryBuilder(ModelAlias, 'alias').where(names('alias'), values).getOne());
  if (replaced !== null) {
    throw conflict('modelId', `it is the replacement of "${replaced.name}": change that first`);
  }
}

export function utc(instant: string | null): string | null {
  return instant === null ? null : new Date(instant).toISOString();
}
