// The request to the provider: the client's own bytes, few of its headers, and none of its credentials.

import { gatewayError, isOneOf, PROVIDER_TYPES, UPSTREAM_FORMATS } from '@tollgate/contracts';

import type { UpstreamCall } from '../upstream/call';
import type { Connection } from '../upstream/connections';
import { providerRulesOf } from '../upstream/endpoints';
import { forwardedHeaders } from '../upstream/forwarded-headers';
import { connectionHeaders } from '../upstream/request';
import type { AdmittedPassthrough } from './exchange';

/** Beside those that the provider's type forwards on every route. */
const FORWARDED = [
  'accept',
  'accept-language',
  'content-encoding',
  'content-language',
  'content-type',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'range',
] as const;

/** @throws GatewayError `provider_misconfigured`, `invalid_request` naming the header */
export function buildPassthroughCall(
  { body, keySha256, place, req, target }: AdmittedPassthrough,
  connection: Connection,
  keyIndex: number,
): UpstreamCall {
  const { providerType, rule, upstreamFormat } = target;
  if (!isOneOf(PROVIDER_TYPES, providerType) || !isOneOf(UPSTREAM_FORMATS, upstreamFormat)) {
    throw gatewayError('provider_misconfigured');
  }
  const providerRules = providerRulesOf(providerType, upstreamFormat);
  const { names, replacing } = providerRules.forwarded;
  const wanted = {
    ...providerRules.forwarded,
    names: [...new Set([...FORWARDED, ...names])],
  };
  const forwarded = forwardedHeaders(req.headers, wanted, keySha256);
  // What an administrator has configured, and the provider's credential, stand before the client's headers.
  const headers = { ...forwarded, ...connectionHeaders({ connection, providerRules, keyIndex }) };
  for (const name of replacing) if (name in forwarded) headers[name] = forwarded[name] ?? '';
  const { timeouts } = connection;
  return {
    dispatcher: connection.agent,
    origin: connection.origin,
    method: place.method,
    path: `${connection.basePath}${place.path}${place.query}`,
    headers,
    body: body.length > 0 ? body : '',
    firstByteTimeoutMs: timeouts.firstByteMs,
    idleTimeoutMs: timeouts.idleMs,
    totalTimeoutMs: timeouts.totalMs,
    responseLimitBytes: rule.maxResponseBytes,
  };
}
