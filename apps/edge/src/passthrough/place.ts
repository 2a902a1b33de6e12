// What a request asks for, of its URL and headers alone. Whatever could be read in two ways is refused here, so that
// the path that a rule allows is the path that the provider gets.

import type { IncomingMessage } from 'node:http';
import {
  gatewayError,
  isOneOf,
  normalisePath,
  PASSTHROUGH_METHODS,
  PASSTHROUGH_QUERY_CHARACTERS,
  type PassthroughMethod,
} from '@tollgate/contracts';

import { declaredBytes } from '../intake/read-body';

export const PASSTHROUGH_PREFIX = '/v1/passthrough/';

export interface Place {
  /** Name or id. */
  provider: string;
  method: PassthroughMethod;
  /** Below the provider's base URL, normalised. */
  path: string;
  /** With its question mark; empty: none. */
  query: string;
  /** Undefined: the length of the body is not declared. */
  declaredBytes: number | undefined;
}

const PROVIDER_CHARACTERS = 256;
/** As a URL may have it; anything else must be encoded. So must semicolons, which some servers read as `&`. */
const QUERY = /^(?:[A-Za-z0-9._~!$&'()*+,=:@/?-]|%[0-9A-Fa-f]{2})*$/;
/** The provider's own credential goes in a header. A client's in the query would compete with it, or give it away. */
const CREDENTIALS: ReadonlySet<string> = new Set([
  'access_token',
  'api-key',
  'api_key',
  'apikey',
  'auth',
  'authorization',
  'key',
  'sig',
  'subscription-key',
  'token',
  'x-api-key',
  'x-goog-api-key',
]);
/** How API keys of this gateway begin. */
const OWN_KEY = /(?:^|[^A-Za-z0-9_])tg_[A-Za-z0-9]{8}/;

/** @throws GatewayError `websocket_disabled`, `invalid_request`, `route_not_found` */
export function placeOf(req: IncomingMessage): Place {
  // Others are offers of another HTTP version, which the gateway ignores everywhere.
  if (/\bwebsocket\b/i.test(req.headers.upgrade ?? '')) {
    const text = 'Passthrough takes no WebSocket connections. Send the request over HTTP.';
    throw gatewayError('websocket_disabled', text);
  }
  const { method = '', url = '' } = req;
  if (!isOneOf(PASSTHROUGH_METHODS, method)) {
    const text = `The method ${method.slice(0, 20)} cannot be passed through. Use one of ${PASSTHROUGH_METHODS.join(', ')}.`;
    throw gatewayError('invalid_request', text, { param: 'method' });
  }
  if (!url.startsWith(PASSTHROUGH_PREFIX)) throw gatewayError('route_not_found');
  const at = url.indexOf('?');
  const whole = at < 0 ? url : url.slice(0, at);
  const query = at < 0 ? '' : url.slice(at);
  const rest = whole.slice(PASSTHROUGH_PREFIX.length);
  const slash = rest.indexOf('/');
  if (slash < 1) {
    const text =
      'The path names no endpoint. Send /v1/passthrough/<provider>/<path at the provider>.';
    throw gatewayError('invalid_request', text, { param: 'path' });
  }
  return {
    provider: providerOf(rest.slice(0, slash)),
    method,
    path: pathOf(rest.slice(slash)),
    query: checkedQuery(query),
    declaredBytes: declaredBytes(req),
  };
}

function providerOf(segment: string): string {
  const refused = gatewayError('invalid_request', 'The name of the provider is not valid.', {
    param: 'provider',
  });
  try {
    const name = decodeURIComponent(segment);
    if (name.length <= PROVIDER_CHARACTERS) return name;
  } catch {
    throw refused;
  }
  throw refused;
}

function pathOf(raw: string): string {
  const normalised = normalisePath(raw);
  const refuse = (text: string) => gatewayError('invalid_request', text, { param: 'path' });
  if ('problem' in normalised) throw refuse(`The path ${normalised.problem}.`);
  if (OWN_KEY.test(normalised.path)) {
    throw refuse('An API key cannot be sent in the path. Send it in a header.');
  }
  return normalised.path;
}

function checkedQuery(query: string): string {
  const refuse = (text: string, param = 'query') =>
    gatewayError('invalid_request', text, { param });
  if (query.length > PASSTHROUGH_QUERY_CHARACTERS) {
    throw refuse(`The query is longer than ${PASSTHROUGH_QUERY_CHARACTERS} characters.`);
  }
  if (!QUERY.test(query)) throw refuse('The query has a character that must be encoded.');
  for (const [name, value] of new URLSearchParams(query)) {
    if (!CREDENTIALS.has(name.toLowerCase()) && !OWN_KEY.test(value)) continue;
    const shown = name.slice(0, 64);
    throw refuse(
      `${shown}: credentials cannot be sent in the query. Send the API key in a header.`,
      shown,
    );
  }
  return query === '?' ? '' : query;
}
