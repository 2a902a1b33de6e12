import { SlowError, StoreUnavailableError } from './store';

// The service or a dependency is broken; never a refusal. The codes are gRPC's, so that unary calls
// and session items fail alike.
export type FailureCode =
  'UNAVAILABLE' | 'DEADLINE_EXCEEDED' | 'INVALID_ARGUMENT' | 'RESOURCE_EXHAUSTED';

export type Dependency = 'redis' | 'catalog' | 'policy';

export class Failure extends Error {
  override readonly name = 'Failure';

  constructor(
    readonly code: FailureCode,
    message: string,
    readonly dependency?: Dependency,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export function unavailable(dependency: Dependency, message: string, cause?: unknown): Failure {
  return new Failure('UNAVAILABLE', message, dependency, { cause });
}

export function invalidArgument(message: string): Failure {
  return new Failure('INVALID_ARGUMENT', message);
}

/** What a caller is told; `undefined` for an unexpected error. */
export function failureOf(error: unknown): Failure | undefined {
  if (error instanceof Failure) return error;
  if (error instanceof SlowError) {
    return new Failure('DEADLINE_EXCEEDED', 'redis did not reply in time', 'redis', {
      cause: error,
    });
  }
  if (error instanceof StoreUnavailableError) {
    return unavailable('redis', 'redis does not reply', error);
  }
  return undefined;
}
