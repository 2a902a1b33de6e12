import { restError, type rest } from '@tollgate/contracts';
import type { EntityManager } from 'typeorm';

import { conflict } from '../../rest/field-errors';
import { PriceCorrection } from './price-correction.entity';
import { represent } from './represent';

export interface FoundCorrection {
  readonly row: PriceCorrection;
  readonly represented: rest.PriceCorrection;
}

/** Throws 404 for an unknown one. Organisations name themselves, so that they find only their own; operators find all. */
export async function findCorrection(
  db: EntityManager,
  where: { readonly id: string; readonly organisationId?: string },
  { lock = false } = {},
): Promise<FoundCorrection> {
  const row = await db.findOne(PriceCorrection, {
    where,
    ...(lock ? { lock: { mode: 'pessimistic_write' as const } } : {}),
  });
  const [represented] = await represent(db, row === null ? [] : [row]);
  if (row === null || represented === undefined) throw restError('not_found');
  return { row, represented };
}

export function assertOpen({ status }: Pick<rest.PriceCorrection, 'status'>): void {
  if (status !== 'OPEN') throw conflict('status', 'this price correction is decided already');
}
