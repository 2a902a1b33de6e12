import { rest } from '@tollgate/contracts';
import { clientAuthorization } from '@tollgate/contracts/node';
import * as oidc from 'openid-client';

import type { BoundedFetch } from './bounded-fetch';

/** The headers by which the gateway authenticates to a server, as the edge and the runner make them. */

type TokenAuth = Extract<rest.McpAuth, { type: 'OAUTH_CLIENT_CREDENTIALS' }>;

/** @throws what `fetch` throws, and errors of openid-client for an answer that has no token */
export async function authHeaders(
  auth: rest.McpAuth,
  secret: string | null,
  fetch: BoundedFetch['fetch'],
): Promise<Record<string, string>> {
  if (auth.type === 'NONE' || secret === null) return {};
  if (auth.type === 'BEARER') return { authorization: `Bearer ${secret}` };
  if (auth.type === 'HEADER') {
    const value = auth.template.split(rest.MCP_SECRET_PLACE).join(secret);
    return { [auth.header.toLowerCase()]: value };
  }
  return { authorization: `Bearer ${await clientToken(auth, secret, fetch)}` };
}

async function clientToken(
  { tokenUrl, clientId, scope, resource }: TokenAuth,
  secret: string,
  fetch: BoundedFetch['fetch'],
): Promise<string> {
  const config = new oidc.Configuration(
    { issuer: new URL(tokenUrl).origin, token_endpoint: tokenUrl },
    clientId,
    undefined,
    clientSecretBasic(clientId, secret),
  );
  config[oidc.customFetch] = (url, { method, headers, body, signal }) =>
    fetch(url, {
      method,
      headers,
      body: body === undefined ? null : String(body as URLSearchParams | string),
      signal: signal ?? null,
    });
  // http:// is allowed only where the address rules open a private network.
  oidc.allowInsecureRequests(config);
  const tokens = await oidc.clientCredentialsGrant(config, {
    ...(scope === null ? {} : { scope }),
    ...(resource === null ? {} : { resource }),
  });
  if (tokens.token_type !== 'bearer') throw new Error(`token_type is ${tokens.token_type}`);
  return tokens.access_token;
}

/**
 * The library's own encodes more characters than forms do, such as `-`, which servers that do not decode take
 * for another client; the edge's requests are encoded as this is.
 */
function clientSecretBasic(clientId: string, secret: string): oidc.ClientAuth {
  return (_server, _client, _body, headers) => {
    headers.set('authorization', clientAuthorization(clientId, secret));
  };
}
