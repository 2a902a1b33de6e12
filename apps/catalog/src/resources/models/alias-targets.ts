import type { rest } from '@tollgate/contracts';
import { In } from 'typeorm';

import { ModelAlias } from '../../entities/model-alias.entity';
import { Model } from '../../entities/model.entity';
import type { Call } from '../../rest/call';
import { conflict, invalid } from '../../rest/field-errors';
import { utc } from './retirement';

type InOrganisation = Pick<Call, 'db' | 'organisation' | 'nowMs'>;

/** The target in force at an instant; undefined: the first one has not begun. */
export function targetAt(
  targets: readonly rest.AliasTarget[],
  nowMs: number,
): rest.AliasTarget | undefined {
  return targets.findLast(({ effectiveFrom }) => beginOf(effectiveFrom) <= nowMs);
}

/** Ascending by instant, with instants in UTC. */
export function storedTargets(given: readonly rest.AliasTarget[]): rest.AliasTarget[] {
  return given
    .map(({ modelId, effectiveFrom }) => ({
      modelId,
      effectiveFrom: utc(effectiveFrom),
    }))
    .toSorted((a, b) => beginOf(a.effectiveFrom) - beginOf(b.effectiveFrom));
}

/**
 * Throws unless every target is a model of the organisation; an alias cannot be a target. Targets of `present` may
 * stay as they are even if their models are gone. Locked for sharing, so that none is deleted before the alias commits.
 */
export async function assertTargets(
  { db, organisation }: InOrganisation,
  targets: readonly rest.AliasTarget[],
  present: readonly rest.AliasTarget[] = [],
): Promise<void> {
  const kept = new Set(present.map(targetKey));
  const ids = targets
    .filter((target) => !kept.has(targetKey(target)))
    .map(({ modelId }) => modelId);
  const found = await db.find(Model, {
    select: { id: true },
    where: {
      id: In([...new Set(ids)]),
      organisationId: organisation.id,
      status: In(['ACTIVE', 'DISABLED']),
    },
    lock: { mode: 'pessimistic_read' },
  });
  const known = new Set(found.map(({ id }) => id));
  const missing = targets.findIndex(
    (target) => !known.has(target.modelId) && !kept.has(targetKey(target)),
  );
  if (missing !== -1) {
    throw invalid(`targets[${String(missing)}].modelId`, 'no such model in this organisation');
  }
}

/** Throws if an alias stands for the model now or later. */
export async function assertNoTarget(
  { db, organisation, nowMs }: InOrganisation,
  modelId: string,
): Promise<void> {
  const aliases = await db
    .createQueryBuilder(ModelAlias, 'alias')
    .where('alias.organisationId = :organisationId AND alias.targets @> :target::jsonb', {
      organisationId: organisation.id,
      target: JSON.stringify([{ modelId }]),
    })
    .getMany();
  const using = aliases.find(({ targets }) => {
    const current = targetAt(targets, nowMs);
    return targets.some(
      (target) =>
        target.modelId === modelId && (target === current || beginOf(target.effectiveFrom) > nowMs),
    );
  });
  if (using !== undefined) {
    throw conflict('modelId', `the alias "${using.name}" stands for this model: change it first`);
  }
}

const targetKey = ({ modelId, effectiveFrom }: rest.AliasTarget): string =>
  `${modelId} ${String(beginOf(effectiveFrom))}`;

function beginOf(effectiveFrom: string | null): number {
  return effectiveFrom === null ? 0 : Date.parse(effectiveFrom);
}
