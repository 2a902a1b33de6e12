import {
  ApiError,
  createRestClient as createClient,
  errorOf as errorIn,
  type RestAnswer,
  type RestClient,
  type SendRest,
} from '@tollgate/contracts';

// The typed client of the management API, for the console's server and its pages.

export {
  ApiError,
  type RestAnswer,
  type RestClient,
  type RestInput,
  type RestQuestion,
  type RestRequest,
  type Versioned,
} from '@tollgate/contracts';

const UNEXPECTED =
  'This version of the console does not understand the server’s response. Reload the page.';

export function createRestClient(send: SendRest): RestClient {
  return createClient(send, UNEXPECTED);
}

export function errorOf(answer: RestAnswer): ApiError {
  return errorIn(answer, UNEXPECTED);
}

/** Turns anything thrown into an error that can be shown. */
export function shown(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return new ApiError(0, 'unreachable', 'The console cannot be reached. Check your connection.');
}
