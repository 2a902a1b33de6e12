import { restError, type RestError } from '@tollgate/contracts';

/** 422 about one field, in the validator's format. */
export function invalid(path: string, message: string): RestError {
  return restError('validation_failed', undefined, [{ path, message }]);
}

/** 409 about one field. */
export function conflict(path: string, message: string): RestError {
  return restError('conflict', undefined, [{ path, message }]);
}
