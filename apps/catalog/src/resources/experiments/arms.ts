import { operationServes, type ModelType, type rest } from '@tollgate/contracts';
import { In, IsNull, MoreThan } from 'typeorm';

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
 * Throws unless each arm has a model of this organisation, and all of them serve the same operations. An arm of `present` keeps its
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

/** Reasoning models serve chat too, so they can share an experiment with chat models. */
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
    throw conflict(
      'modelId',
      `the experiment "${using.name}" has this model: set its end, or delete it, before you delete the model`,
    );
  }
}

/** Throws if a running experiment splits the requests for the name, which then would be for nothing or for another object. */
export async function assertNotSplit(
  { db, organisation, nowMs }: InOrganisation,
  name: string,
): Promise<void> {
  const running = { organisationId: organisation.id, model: name, status: 'ACTIVE' as const };
  const splitting = await db.findOne(Experiment, {
    where: [
      { ...running, endsAt: IsNull() },
      { ...running, endsAt: MoreThan(new Date(nowMs)) },
    ],
  });
  if (splitting !== null) {
    throw conflict('name', `the experiment "${splitting.name}" splits it: pause or end it first`);
  }
}
