import { operationServes, type ModelType, type rest } from '@tollgate/contracts';
import { In } from 'typeorm';

import { Experiment } from '../../entities/experiment.entity';
import { ModelAlias } from '../../entities/model-alias.entity';
import { Model } from '../../entities/model.entity';
import type { Call } from '../../rest/call';
import { conflict, invalid } from '../../rest/field-errors';

type InOrganisation = Pick<Call, 'db' | 'organisation' | 'nowMs'>;

export const USABLE = In(['ACTIVE', 'DISABLED']);

/** Throws unless the name is that of a model or an alias of the organisation. */
export async function assertKnownName(
  { db, organisation }: InOrganisation,
  name: string,
): Promise<void> {
  const organisationId = organisation.id;
  if (await db.existsBy(Model, { organisationId, name, status: USABLE })) return;
  if (await db.existsBy(ModelAlias, { organisationId, name })) return;
  throw invalid('model', 'no model and no alias of this organisation has this name');
}

/**
 * Throws unless the models of all arms are models of the organisation, that can do the same. An arm of `present` keeps its
 * model, because its figures are those of its model, and may stay even if the model is gone. Models are locked for
 * sharing, so that none is deleted before the experiment commits.
 */
export async function assertArms(
  { db, organisation }: InOrganisation,
  arms: readonly rest.ExperimentArm[],
  present: readonly rest.ExperimentArm[] = [],
): Promise<void> {
  const kept = new Map(present.map(({ name, modelId }) => [name, modelId]));
  for (const [at, { name, modelId }] of arms.entries()) {
    const before = kept.get(name);
    if (before !== undefined && before !== modelId) {
      throw conflict(
        `arms[${String(at)}].modelId`,
        `the arm "${name}" has another model: give an arm with a new model a new name`,
      );
    }
  }
  const found = await db.find(Model, {
    select: { id: true, type: true },
    where: {
      id: In(arms.map(({ modelId }) => modelId)),
      organisationId: organisation.id,
      status: USABLE,
    },
    lock: { mode: 'pessimistic_read' },
  });
  const types = new Map(found.map(({ id, type }) => [id, type]));
  const first = found.find(({ id }) => id === arms[0]?.modelId)?.type;
  for (const [at, { name, modelId }] of arms.entries()) {
    const type = types.get(modelId);
    const field = `arms[${String(at)}].modelId`;
    if (type === undefined && kept.get(name) !== modelId) {
      throw invalid(field, 'no such model in this organisation');
    }
    if (type !== undefined && first !== undefined && !alike(type, first)) {
      throw invalid(field, `is of type ${type}, and the first arm of type ${first}`);
    }
  }
}

/** Models for reasoning chat as well. */
export function alike(one: ModelType, other: ModelType): boolean {
  return one === other || [one, other].every((type) => operationServes('chat', type));
}

/** Throws if an experiment that has not ended has the model in an arm or in its shadow. */
export async function assertNoArm(
  { db, organisation, nowMs }: InOrganisation,
  modelId: string,
): Promise<void> {
  const using = await db
    .createQueryBuilder(Experiment, 'experiment')
    .where('experiment.organisationId = :organisationId', { organisationId: organisation.id })
    .andWhere(`(experiment.arms @> :arm::jsonb OR experiment.shadow ->> 'modelId' = :modelId)`, {
      arm: JSON.stringify([{ modelId }]),
      modelId,
    })
    .andWhere('(experiment.endsAt IS NULL OR experiment.endsAt > :now)', { now: new Date(nowMs) })
    .getOne();
  if (using !== null) {
    throw conflict('modelId', `the experiment "${using.name}" has this model: end it first`);
  }
}
