// The errors of the Python SDKs: the class of each status, and the number of retries.

import type { SdkName } from './cases';

export type Status = 400 | 401 | 402 | 403 | 404 | 429 | 502;

const OPENAI: Readonly<Record<Status, string>> = {
  400: 'BadRequestError',
  401: 'AuthenticationError',
  // The SDK has no class of its own for this status.
  402: 'APIStatusError',
  403: 'PermissionDeniedError',
  404: 'NotFoundError',
  429: 'RateLimitError',
  502: 'InternalServerError',
};
const GENAI: Readonly<Record<Status, string>> = {
  400: 'ClientError',
  401: 'ClientError',
  402: 'ClientError',
  403: 'ClientError',
  404: 'ClientError',
  429: 'ClientError',
  502: 'ServerError',
};

export const CLASSES: Readonly<Record<SdkName, Readonly<Record<Status, string>>>> = {
  openai: OPENAI,
  responses: OPENAI,
  anthropic: { ...OPENAI, 402: 'PaymentRequiredError' },
  genai: GENAI,
};

/** The SDK's default number of retries after a temporary failure. */
export const ATTEMPTS: Readonly<Record<SdkName, number>> = {
  openai: 3,
  responses: 3,
  anthropic: 3,
  genai: 1,
};

interface StreamError {
  readonly class: string;
  readonly code?: string | null;
  readonly type?: string;
}

/** The class raised for an error inside a stream. */
export function inAStream(sdk: SdkName, upstream: string): StreamError {
  // Overload keeps the vendor's own words if both sides speak its format.
  if (sdk !== 'anthropic' || upstream !== 'anthropic') return IN_A_STREAM[sdk];
  return { class: 'APIStatusError', code: null, type: 'overloaded_error' };
}

const IN_A_STREAM: Readonly<Record<SdkName, StreamError>> = {
  openai: { class: 'APIError', code: 'upstream_error' },
  // The SDK raises nothing: the response itself has failed, with one of the format's few codes.
  responses: { class: 'FailedResponse', code: 'server_error' },
  anthropic: { class: 'APIStatusError', code: 'upstream_error' },
  genai: { class: 'ServerError', code: 'upstream_error' },
};
