import { status, type ServiceError } from '@grpc/grpc-js';

/** Metadata of a failed call that names the broken dependency. */
export const DEPENDENCY_TRAILER = 'tollgate-dependency';

/** gRPC's own names. */
export type PolicyErrorCode = Exclude<keyof typeof status, 'OK'>;

/** A call without an answer. A refusal is not an error: it is an answer with a `denial`. */
export class PolicyError extends Error {
  override readonly name = 'PolicyError';

  constructor(
    readonly code: PolicyErrorCode,
    message: string,
    /** The broken part: redis, catalog or policy itself. Absent: the call itself was invalid. */
    readonly dependency: string | undefined,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }

  /** Whether a retry may succeed. Retry an authorize with a new request id. */
  get retryable(): boolean {
    return this.dependency !== undefined;
  }
}

// Without the metadata the broken part is policy: it was unreachable, too slow, or failed
// unexpectedly.
const OWN: readonly PolicyErrorCode[] = ['UNAVAILABLE', 'DEADLINE_EXCEEDED', 'INTERNAL', 'UNKNOWN'];

/** Maps a failed call to a PolicyError; other errors pass unchanged. */
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
