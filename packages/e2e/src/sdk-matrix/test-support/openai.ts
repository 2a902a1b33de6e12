// The parts that both formats of OpenAI's SDK share: its client and its errors.

import type OpenAI from 'openai';

import type { Conversation, Refusal, Sdk, Settings } from './sdk';

export function openAi(
  vendor: typeof OpenAI,
  converse: (client: OpenAI, settings: Settings) => Conversation,
): Pick<Sdk, 'open' | 'refusalOf' | 'errors' | 'ownTypes'> {
  return {
    open: ({ url, key, retries, headers, fetch }) => {
      const client = new vendor({
        baseURL: `${url}/v1`,
        apiKey: key,
        fetch,
        logLevel: 'off',
        ...(retries === undefined ? {} : { maxRetries: retries }),
        ...(headers === undefined ? {} : { defaultHeaders: headers }),
      });
      return {
        converse: (settings) => converse(client, settings),
        unknownRoute: () => client.files.list(),
      };
    },
    refusalOf: (error) => refusalOf(vendor, error),
    errors,
    ownTypes: { model_not_found: 'invalid_request_error' },
  };
}

const errors: Sdk['errors'] = {
  400: ['BadRequestError', 'invalid_request_error'],
  401: ['AuthenticationError', 'authentication_error'],
  // The SDK has no class of its own for this status.
  402: ['APIError', 'billing_error'],
  403: ['PermissionDeniedError', 'permission_error'],
  404: ['NotFoundError', 'not_found_error'],
  429: ['RateLimitError', 'rate_limit_error'],
  502: ['InternalServerError', 'server_error'],
  503: ['InternalServerError', 'server_error'],
};

/** The error of a response that failed after its start: the SDK returns it instead of raising. */
export class FailedResponse extends Error {
  override readonly name = 'FailedResponse';
  readonly code: string | undefined;

  constructor(message: string, code: string | undefined) {
    super(message);
    this.code = code;
  }
}

function refusalOf(vendor: typeof OpenAI, error: unknown): Refusal {
  if (error instanceof FailedResponse) {
    return { error: error.name, code: error.code, type: undefined, message: error.message };
  }
  if (!(error instanceof vendor.APIError)) throw error;
  const { status, code, type, param, message } = error;
  return {
    error: error.constructor.name,
    status,
    code: code ?? undefined,
    type: type ?? undefined,
    param: param ?? undefined,
    message,
  };
}
