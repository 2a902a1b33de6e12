import { formatUsd, parseUsd, type rest } from '@tollgate/contracts';
import { uuidv7 } from '@tollgate/kit';
import { In } from 'typeorm';

import { Budget } from '../../entities/budget.entity';
import type { Experiment } from '../../entities/experiment.entity';
import { Model } from '../../entities/model.entity';
import type { Call } from '../../rest/call';
import { invalid } from '../../rest/field-errors';
import { currentFiguresOf } from '../limits/current-figures';
import { alike, USABLE } from './arms';

// A shadow's settings are in the row of its experiment, and what it may cost in a budget. The experiment has the place
// of an API key in the books, so the budget has the scope of a key with the experiment's id. Lists of budgets leave it out.

type InOrganisation = Pick<Call, 'db' | 'organisation'>;

/** The shadows of experiments, by the experiments' ids. */
export async function shadowsOf(
  { db, organisation }: InOrganisation,
  rows: readonly Experiment[],
): Promise<Map<string, rest.ExperimentShadow>> {
  const shadowed = rows.filter(({ shadow }) => shadow !== null);
  if (shadowed.length === 0) return new Map();
  const budgets = await db.findBy(Budget, {
    organisationId: organisation.id,
    scopeType: 'API_KEY',
    scopeId: In(shadowed.map(({ id }) => id)),
  });
  const daily = new Map(budgets.map(({ limitNanoUsd, scopeId }) => [scopeId, limitNanoUsd]));
  return new Map(
    shadowed.flatMap(({ id, shadow }) => {
      const limit = daily.get(id);
      if (shadow === null || limit === undefined) return [];
      return [[id, { ...shadow, dailyUsd: formatUsd(limit) }] as const];
    }),
  );
}

/**
 * Throws unless the model of the shadow is one of the organisation, and can do what the arms do. It is locked for sharing,
 * so that it is not deleted before the experiment commits. One that `before` has may be gone.
 */
export async function assertShadow(
  { db, organisation }: InOrganisation,
  shadow: rest.ExperimentCreate['shadow'],
  arms: readonly rest.ExperimentArm[],
  before: rest.ExperimentShadow | null = null,
): Promise<void> {
  if (shadow === null) return;
  const first = arms[0]?.modelId ?? '';
  const found = await db.find(Model, {
    select: { id: true, type: true },
    where: { id: In([shadow.modelId, first]), organisationId: organisation.id, status: USABLE },
    lock: { mode: 'pessimistic_read' },
  });
  const typeOf = (modelId: string) => found.find(({ id }) => id === modelId)?.type;
  const [own, ofArms] = [typeOf(shadow.modelId), typeOf(first)];
  if (own === undefined && before?.modelId !== shadow.modelId) {
    throw invalid('shadow.modelId', 'no such model in this organisation');
  }
  if (own !== undefined && ofArms !== undefined && !alike(own, ofArms)) {
    throw invalid('shadow.modelId', `is of type ${own}, and the first arm of type ${ofArms}`);
  }
}

/** Writes the budget of an experiment's shadow, or deletes it. The row of the experiment exists. */
export async function putBudget(
  { actor, db, organisation }: Pick<Call, 'actor' | 'db' | 'organisation'>,
  experimentId: string,
  shadow: rest.ExperimentCreate['shadow'],
): Promise<void> {
  const own = {
    organisationId: organisation.id,
    scopeType: 'API_KEY' as const,
    scopeId: experimentId,
  };
  if (shadow === null) {
    await db.delete(Budget, own);
    return;
  }
  const limitNanoUsd = parseUsd(shadow.dailyUsd);
  const { affected } = await db.update(Budget, own, { limitNanoUsd });
  if (affected === 1) return;
  await db.insert(Budget, {
    ...own,
    id: uuidv7(),
    period: 'DAILY',
    limitNanoUsd,
    createdBy: actor.id,
  });
}

/** What the shadow may cost today, and has cost. Undefined: the experiment has none. */
export async function budgetOfShadow(
  { db, nowMs, organisation }: Pick<Call, 'db' | 'nowMs' | 'organisation'>,
  experimentId: string,
): Promise<{ limitNanoUsd: bigint; spentNanoUsd: bigint } | undefined> {
  const where = { organisationId: organisation.id, scopeId: experimentId };
  const budget = await db.findOneBy(Budget, { ...where, scopeType: 'API_KEY' });
  if (budget === null) return undefined;
  const { id, organisationId, period, scopeId, scopeType, valueKey } = budget;
  const of = { id, organisationId, period, scopeId, scopeType, valueKey };
  const measured = { ...of, metric: 'COST' as const, windowSeconds: null };
  const figures = await currentFiguresOf(db, 'BUDGET', [measured], organisation.timeZone, nowMs);
  const { limitNanoUsd } = budget;
  return { limitNanoUsd, spentNanoUsd: figures.get(budget.id)?.spent ?? 0n };
}

export function storedShadow(shadow: rest.ExperimentCreate['shadow']): Experiment['shadow'] {
  if (shadow === null) return null;
  const { modelId, samplePercent } = shadow;
  return { modelId, samplePercent };
}
