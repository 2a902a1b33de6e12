import { SlowError, StoreUnavailableError } from './store';

// The service itself, or something it needs, is broken: never a refusal. The codes are gRPC's,
// so that a unary call and a session item fail with the same word.
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

/** What a caller is told of an error; `undefined` for one that nobody has foreseen. */
export function failureOf(error: unknown): Failure | undefined {
  if (error instanceof Failure) return error;
  if (error instanceof SlowError) {
    return new Failure('DEADLINE_EXCEEDED', 'the store did not answer in time', 'redis', {
      cause: error,
    });
  }
  if (error instanceof StoreUnavailableError) {
    return unavailable('redis', 'the store does not answer', error);
  }
  return undefined;
}
