import type { rest } from '@tollgate/contracts';

import { connectionFault, type ConnectionFaultCode } from '../../../outbound';

/** Describes a failed call to an upstream, naming the setting to check. */

type Failure = rest.UpstreamFailure;
type Row = Pick<Failure, 'code' | 'field' | 'message'>;

const CONNECT: Readonly<Record<ConnectionFaultCode, Row>> = {
  name_not_found: {
    code: 'name_not_found',
    field: 'baseUrl',
    message: 'The host of baseUrl has no address.',
  },
  connect_timed_out: {
    code: 'timed_out',
    field: 'baseUrl',
    message: 'No connection to the host of baseUrl within connectTimeoutMs.',
  },
  timed_out: {
    code: 'timed_out',
    field: 'baseUrl',
    message: 'The upstream did not respond in time.',
  },
  tls_failed: {
    code: 'tls_failed',
    field: 'baseUrl',
    message:
      'The TLS connection failed: the host of baseUrl has an invalid certificate, or does not use TLS.',
  },
  not_http: {
    code: 'not_http',
    field: 'baseUrl',
    message:
      'The address does not speak HTTP/1.1: something else listens there. Check the port of baseUrl, and whether it begins with https://.',
  },
  too_large: {
    code: 'too_large',
    field: 'baseUrl',
    message: 'The answer is larger than a list of models can be. Check baseUrl.',
  },
  address_refused: {
    code: 'address_refused',
    field: 'baseUrl',
    message:
      'The gateway may not connect to the address of baseUrl. UPSTREAM_ALLOWED_CIDRS allows private networks.',
  },
  not_reachable: {
    code: 'not_reachable',
    field: 'baseUrl',
    message: 'The host of baseUrl refused or closed the connection.',
  },
};

/** For a call without a response. Rethrows what is not a connection error. */
export function connectFailure(error: unknown): Failure {
  const { code, rule } = connectionFault(error);
  const row = CONNECT[code];
  const message = rule === '' ? row.message : `${row.message} Here ${rule}.`;
  return { ...row, message, status: null };
}

/** For a provider that has no list. */
export const NO_LIST: Failure = {
  code: 'not_testable',
  field: null,
  message:
    'Nothing was asked: providers of this kind have no list of models that the gateway reads. The first request shows whether the settings work.',
  status: null,
};

/** For the identity of the gateway itself: only the edges' environment has it. */
export const EDGES_IDENTITY: Failure = {
  ...NO_LIST,
  message:
    "Nothing was asked: the gateway's own identity is that of its edges, and this is asked by the catalog. The first request shows whether it works; the page of a failed request says which file is missing or which issuer refused it.",
};

/** For a list that is at a host which the base URL does not lead to. */
export const LIST_ELSEWHERE: Failure = {
  ...NO_LIST,
  message:
    'Nothing was asked: AWS lists models at another host, and an endpoint of a VPC leads to one host only. Register models by name; the first request shows whether the settings work.',
};

/** For an identity that gives no token. `code`: undefined if the identity itself is at fault. */
export function issuerFailure(
  message: string,
  status: number | null = null,
  code?: Failure['code'],
): Failure {
  return code === undefined
    ? { code: 'key_refused', field: 'apiKey', message, status }
    : { code, field: null, message, status };
}

export interface Refusal {
  readonly status: number;
  /** The body as text, truncated. */
  readonly text: string;
  /** What the message must not repeat; empty: nothing was sent. */
  readonly secrets: readonly string[];
  readonly hasApiVersion: boolean;
  /** Whether it has identities: other vendors say the same words of a key. */
  readonly isCloud: boolean;
}

/** For a response with an error status. */
export function refusalFailure(refusal: Refusal): Failure {
  const { status, text, secrets } = refusal;
  const said = secrets.every((secret) => sayingOf(text, secret) !== '') ? sayingOf(text, null) : '';
  const row = refusalRow(refusal);
  const message = said === '' ? row.message : `${row.message} The upstream says: ${said}`;
  return { ...row, message, status };
}

/** Some vendors report a wrong key or an unsupported location only in the body. */
const BAD_KEY = /API_KEY_INVALID|invalid_api_key|invalid x-api-key/i;
/** Words of AWS about a signature. */
const BAD_SCOPE =
  /Credential should be scoped to|signature we calculated does not match|InvalidSignatureException/i;
/** Words of AWS, Google and Azure about an identity that lacks a permission. */
const NOT_PERMITTED =
  /is not authorized to perform|AccessDeniedException|"PERMISSION_DENIED"|lacks the required data action|SERVICE_DISABLED/;
const BAD_REGION = /unsupported_country_region|user location is not supported/i;

function refusalRow({ status, text, secrets, hasApiVersion, isCloud }: Refusal): Row {
  if (BAD_REGION.test(text)) {
    const message =
      'The upstream does not serve the region that this gateway calls from. Use a baseUrl of another region.';
    return { code: 'region_refused', field: 'baseUrl', message };
  }
  if (BAD_SCOPE.test(text)) {
    const message =
      'The cloud rejects the signature: the secret of the access key is wrong, or the region is not that of baseUrl.';
    return { code: 'key_refused', field: 'apiKey', message };
  }
  if (isCloud && secrets.length > 0 && NOT_PERMITTED.test(text)) {
    const message =
      'The cloud knows the identity, but it has no permission to list models. Requests need another permission, so they may work.';
    return { code: 'not_permitted', field: 'apiKey', message };
  }
  if (status === 401 || status === 403 || BAD_KEY.test(text)) {
    return secrets.length === 0
      ? { code: 'key_missing', field: 'apiKey', message: 'The upstream requires a key.' }
      : { code: 'key_refused', field: 'apiKey', message: 'The upstream rejects the key.' };
  }
  if (status >= 300 && status < 400) {
    const message = 'The upstream redirects, and redirects are not followed. Correct baseUrl.';
    return { code: 'redirected', field: 'baseUrl', message };
  }
  if (status === 404 || status === 405) {
    return hasApiVersion
      ? {
          code: 'not_found',
          field: 'apiVersion',
          message: 'Not found: check baseUrl and apiVersion.',
        }
      : {
          code: 'not_found',
          field: 'baseUrl',
          message: 'There is no list of models below baseUrl.',
        };
  }
  if (status === 429) {
    const message = 'The upstream limits the traffic of this key. Try again later.';
    return { code: 'rate_limited', field: null, message };
  }
  if (status >= 500) {
    const message = `The upstream failed with status ${status}. Try again in a moment.`;
    return { code: 'upstream_failed', field: null, message };
  }
  const field = hasApiVersion && /api.version/i.test(text) ? 'apiVersion' : 'baseUrl';
  return {
    code: 'rejected',
    field,
    message: `The upstream rejects the call with status ${status}.`,
  };
}

/** For a success that is not a list of models. */
export function shapeFailure(status: number): Failure {
  return {
    code: 'not_understood',
    field: 'upstreamFormat',
    message: 'The answer is not a list of models in the format of this provider.',
    status,
  };
}

const SAID = 300;
/** A text that repeats this many consecutive characters of the key is treated as quoting it. */
const WINDOW = 6;

/** The upstream's message, truncated; empty when it repeats any part of the key. */
export function sayingOf(text: string, secret: string | null): string {
  return quotable(messageOf(text), secret);
}

/** Words of an upstream on one line, truncated; empty when they repeat any part of the key. */
export function quotable(said: string, secret: string | null): string {
  const words = said.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();
  return repeats(words, secret) ? '' : words.slice(0, SAID).toWellFormed();
}

function repeats(words: string, secret: string | null): boolean {
  if (secret === null) return false;
  const length = Math.min(WINDOW, secret.length);
  for (let at = 0; at + length <= secret.length; at += 1) {
    if (words.includes(secret.slice(at, at + length))) return true;
  }
  return false;
}

/**
 * All formats have the message under `error.message` or `message`; a proxy's HTML page has none.
 */
function messageOf(text: string): string {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return '';
  }
  const inner = property(body, 'error') ?? body;
  const message = typeof inner === 'string' ? inner : property(inner, 'message');
  return typeof message === 'string' ? message : '';
}

function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? (value as Record<string, unknown>)[name]
    : undefined;
}
