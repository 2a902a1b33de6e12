import { restError, type rest } from '@tollgate/contracts';

import type { Call } from '../../rest/call';
import { conflict } from '../../rest/field-errors';

export interface BodyRules {
  /** Whether organisations may keep bodies of requests. */
  readonly bodiesAllowed: boolean;
}

type Kept = Pick<
  rest.Organisation,
  'keepRequestBodies' | 'keepAnswerBodies' | 'keptBodiesForOperators'
>;

const OFF: Kept = {
  keepRequestBodies: false,
  keepAnswerBodies: false,
  keptBodiesForOperators: false,
};

/**
 * The installation may forbid that bodies are kept. Operators of the platform cannot let themselves look at them.
 * @throws RestError `conflict`, `forbidden`
 */
export function assertBodyRules(
  { actor }: Pick<Call, 'actor'>,
  { bodiesAllowed }: BodyRules,
  wanted: { [Name in keyof Kept]?: boolean | undefined },
  before: Kept = OFF,
): void {
  for (const name of ['keepRequestBodies', 'keepAnswerBodies'] as const) {
    if (bodiesAllowed || wanted[name] !== true || before[name]) continue;
    throw conflict(name, 'This installation does not keep bodies of requests.');
  }
  const { keptBodiesForOperators } = wanted;
  if (keptBodiesForOperators !== true || before.keptBodiesForOperators) return;
  if (actor.role === 'SUPER_ADMIN') {
    throw restError(
      'forbidden',
      'Only administrators of the organisation let operators look at bodies.',
    );
  }
}
