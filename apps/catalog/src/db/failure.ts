import { GrpcFailure, grpcStatus } from '@tollgate/kit';
import { DatabaseError } from 'pg';

/** SQLSTATE classes of data that can never be stored. */
const DATA_CLASSES = new Set(['22', '23']);
/**
 * Connection, serialization or deadlock, resources, lock or object state, operator intervention,
 * I/O.
 */
const TRANSIENT_CLASSES = new Set(['08', '40', '53', '55', '57', '58']);
const CONNECTION_CODES = /^(?:ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_)/;
/** Errors that the driver throws without a code. */
const CONNECTION_MESSAGES =
  /timeout exceeded when trying to connect|Query read timeout|Connection terminated|connection error|not queryable/;

/** Whether the database is not available or busy, so that a retry may succeed. */
export function isDatabaseAway(error: unknown): boolean {
  if (error instanceof DatabaseError) return TRANSIENT_CLASSES.has((error.code ?? '').slice(0, 2));
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: unknown };
  if (typeof code === 'string' && CONNECTION_CODES.test(code)) return true;
  return CONNECTION_MESSAGES.test(error.message);
}

/** Whether the data can never be stored, so that a retry is useless. */
export function isDataRefused(error: unknown): boolean {
  if (error instanceof RangeError) return true;
  return error instanceof DatabaseError && DATA_CLASSES.has((error.code ?? '').slice(0, 2));
}

/**
 * Runs a gRPC handler: UNAVAILABLE when the database is not available, INVALID_ARGUMENT when the data cannot
 * be stored. So the caller knows whether to retry or to set the data aside.
 */
export async function grpcAnswer<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof GrpcFailure) throw error;
    if (isDataRefused(error)) {
      const message = error instanceof Error ? error.message : String(error);
      throw new GrpcFailure(grpcStatus.INVALID_ARGUMENT, message, { cause: error });
    }
    if (isDatabaseAway(error)) {
      throw new GrpcFailure(grpcStatus.UNAVAILABLE, 'the database is not available', {
        cause: error,
      });
    }
    throw error;
  }
}
