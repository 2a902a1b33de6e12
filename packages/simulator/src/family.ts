// The vendor families: where the key is sent, and how errors are written before an answer starts.

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

import type { Directives } from './directives';
import { textOf } from './json';
import type { Problem } from './reply';

export interface Family {
  /** Empty if there is none. */
  key(headers: IncomingHttpHeaders, query: URLSearchParams): string;
  /** The answer to a missing or wrong key. A key that starts with `bad` is wrong. */
  badKey(key: string): Problem;
  /** The refusal of a prompt that is longer than the model's context. */
  tooLong(directives: Directives): Problem;
  /** `id` is the id of the request. */
  error(problem: Problem, directives: Directives, id: string): object;
  /** The header with the request's id. */
  requestId: 'x-request-id' | 'request-id' | undefined;
}

const OPENAI_TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  429: 'rate_limit_error',
};

const ANTHROPIC_TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  408: 'timeout_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

const GEMINI_STATUSES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ABORTED',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

const VLLM_TYPES: Readonly<Record<number, string>> = {
  400: 'BadRequestError',
  401: 'AuthenticationError',
  404: 'NotFoundError',
  429: 'RateLimitError',
  503: 'ServiceUnavailableError',
};

function bearer(headers: IncomingHttpHeaders): string {
  return /^Bearer (.*)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
}

export function openAiError({ status, code, message, param, type: own }: Problem): object {
  const usual = OPENAI_TYPES[status] ?? (status >= 500 ? 'server_error' : 'invalid_request_error');
  const type = own ?? usual;
  return { error: { message, type, param: param ?? null, code } };
}

export function vllmError({ status, message, param }: Problem): object {
  const type = VLLM_TYPES[status] ?? (status >= 500 ? 'InternalServerError' : 'BadRequestError');
  return { error: { message, type, param: param ?? null, code: status } };
}

/** OpenRouter repeats the status as the code, and has neither type nor parameter. */
function openRouterError({ status, message }: Problem): object {
  return { error: { message, code: status } };
}

export function anthropicError({ status, message, param }: Problem, id?: string): object {
  const type = ANTHROPIC_TYPES[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error');
  const text = param === undefined ? message : `${param}: ${message}`;
  return {
    type: 'error',
    error: { type, message: text },
    ...(id === undefined ? {} : { request_id: id }),
  };
}

export function geminiError({ status: code, code: reason, message }: Problem): object {
  const status = GEMINI_STATUSES[code] ?? (code >= 500 ? 'INTERNAL' : 'INVALID_ARGUMENT');
  const info = {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason: reason?.toUpperCase(),
    domain: 'googleapis.com',
  };
  return { error: { code, message, status, ...(reason ? { details: [info] } : {}) } };
}

const OPENAI_TOO_LONG: Problem = {
  status: 400,
  code: 'context_length_exceeded',
  param: 'messages',
  message:
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 130013 tokens. Please reduce the length of the messages.",
};

const GEMINI_TOO_LONG: Problem = {
  status: 400,
  code: null,
  message:
    'The input token count (1196265) exceeds the maximum number of tokens allowed (1048576).',
};

const VLLM_TOO_LONG: Problem = {
  status: 400,
  code: null,
  message:
    "This model's maximum context length is 32768 tokens. However, your request has 40021 input tokens. Please reduce the length of the input messages.",
};

const openai: Family = {
  key: bearer,
  badKey: (key) => ({
    status: 401,
    code: 'invalid_api_key',
    message: `Incorrect API key provided: ${key}.`,
  }),
  tooLong: ({ vllm }) => (vllm ? VLLM_TOO_LONG : OPENAI_TOO_LONG),
  error: (problem, { openrouter, vllm }) => {
    if (openrouter) return openRouterError(problem);
    return vllm ? vllmError(problem) : openAiError(problem);
  },
  requestId: 'x-request-id',
};

export const FAMILIES = {
  openai,
  azure: {
    ...openai,
    key: (headers) => textOf(headers['api-key']) || bearer(headers),
    badKey: () => ({
      status: 401,
      code: '401',
      message: 'Access denied due to invalid subscription key or wrong API endpoint.',
    }),
  },
  vllm: { ...openai, tooLong: () => VLLM_TOO_LONG, error: vllmError },
  anthropic: {
    key: (headers) => textOf(headers['x-api-key']) || bearer(headers),
    badKey: () => ({ status: 401, code: 'authentication_error', message: 'invalid x-api-key' }),
    tooLong: () => ({
      status: 400,
      code: null,
      message: 'prompt is too long: 208310 tokens > 200000 maximum',
    }),
    error: (problem, _, id) => anthropicError(problem, id),
    requestId: 'request-id',
  },
  gemini: {
    key: (headers, query) => textOf(headers['x-goog-api-key']) || (query.get('key') ?? ''),
    badKey: (key) =>
      key === ''
        ? {
            status: 403,
            code: 'API_KEY_MISSING',
            message: "Method doesn't allow unregistered callers. Please use API Key.",
          }
        : {
            status: 400,
            code: 'API_KEY_INVALID',
            message: 'API key not valid. Please pass a valid API key.',
          },
    tooLong: () => GEMINI_TOO_LONG,
    error: geminiError,
    requestId: undefined,
  },
  vertex: {
    key: bearer,
    badKey: () => ({
      status: 401,
      code: 'ACCESS_TOKEN_EXPIRED',
      message: 'Request had invalid authentication credentials.',
    }),
    tooLong: () => GEMINI_TOO_LONG,
    error: geminiError,
    requestId: undefined,
  },
  bedrock: {
    key: (headers) => textOf(headers.authorization),
    badKey: () => ({
      status: 403,
      code: 'UnrecognizedClientException',
      message: 'The security token included in the request is invalid.',
    }),
    tooLong: () => ({
      status: 400,
      code: null,
      message: 'Input is too long for requested model.',
    }),
    error: ({ message }) => ({ message }),
    requestId: undefined,
  },
} satisfies Record<string, Family>;

export type FamilyName = keyof typeof FAMILIES;

export function headerOf(request: Pick<IncomingMessage, 'headers'>, name: string): string {
  const value = request.headers[name];
  return (Array.isArray(value) ? value[0] : value) ?? '';
}
