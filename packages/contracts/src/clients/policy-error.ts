import { status, type ServiceError } from '@grpc/grpc-js';

/** The metadata of a failed call that names what is away. */
export const DEPENDENCY_TRAILER = 'tollgate-dependency';

/** gRPC's own names. */
export type PolicyErrorCode = Exclude<keyof typeof status, 'OK'>;

/** A question that was not answered. A refusal is no error: it is an answer with a `denial`. */
export class PolicyError extends Error {
  override readonly name = 'PolicyError';

  constructor(
    readonly code: PolicyErrorCode,
    message: string,
    /** What is away: redis, catalog or policy itself. Absent: the call itself was wrong. */
    readonly dependency: string | undefined,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }

  /** Whether the question may be answered later. An authorize is then asked with a new request id. */
  get retryable(): boolean {
    return this.dependency !== undefined;
  }
}

// Where the answer does not say what is away it is policy: it was not reached, did not answer in
// time, or met something that nobody has foreseen.
const OWN: readonly PolicyErrorCode[] = ['UNAVAILABLE', 'DEADLINE_EXCEEDED', 'INTERNAL', 'UNKNOWN'];

/** What a failed call means; an error that is not gRPC's is left as it is. */
export function policyErrorOf(error: unknown): unknown {
  if (!isServiceError(error)) return error;
  const code = codeOf(error.code);
  const named = error.metadata.get(DEPENDENCY_TRAILER)[0]?.toString();
  const dependency = named ?? (OWN.includes(code) ? 'policy' : undefined);
  return new PolicyError(code, error.details, dependency, { cause: error });
}

function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && 'code' in error && 'details' in error && 'metadata' in error;
}

function codeOf(code: status): PolicyErrorCode {
  const name = Object.entries(status).find(([, number]) => number === code)?.[0];
  return isErrorCode(name) ? name : 'UNKNOWN';
}

function isErrorCode(name: string | undefined): name is PolicyErrorCode {
  return name !== undefined && name !== 'OK' && Object.hasOwn(status, name);
}
