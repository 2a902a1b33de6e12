import { isErrorCode } from '@tollgate/contracts';

import { ADVICE, type NextStep } from '../../errors/advice';

// What to do about a refusal of a key.

/** Undefined for codes whose message says everything. */
export function nextStep(code: string): NextStep | undefined {
  return isErrorCode(code) ? (ADVICE[code].ofKey ?? undefined) : undefined;
}
