import type { SessionFailure } from '@tollgate/contracts/node';

import { Failure } from '../failure';

/** What a caller is told of an item that failed; an unforeseen error says nothing of itself. */
export function sessionFailureOf(error: unknown): SessionFailure {
  const failure =
    error instanceof Failure ? error : new Failure('UNAVAILABLE', 'internal error', 'policy');
  return {
    code: failure.code,
    message: failure.message,
    dependency: failure.dependency ?? '',
  };
}
