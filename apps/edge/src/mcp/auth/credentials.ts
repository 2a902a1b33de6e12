// The headers by which the gateway authenticates to an MCP server.

import type { McpAuth__Output } from '@tollgate/contracts/node';
import { createTokenSource } from '@tollgate/kit';

import type { Lease } from '../../upstream/agents';
import { authHeaders } from '../../upstream/auth-headers';
import { httpUrl, misconfigured } from './misconfigured';
import { requestToken } from './request-token';

export interface Credentials {
  /** @throws GatewayError `provider_auth_failed`, `provider_misconfigured` */
  headers: () => Promise<Headers> | Headers;
  /** The server refused these headers. True: others can be had. */
  refused: (headers: Headers) => boolean;
  /** What must not be read in an error or a log. */
  secrets: () => readonly string[];
  release: () => void;
}

type Headers = Readonly<Record<string, string>>;

export interface CredentialsDeps {
  /** Connects to the token endpoint. */
  openAgent: (origin: string) => Lease;
  connectTimeoutMs: number;
  nowMs: () => number;
}

/**
 * `secret` is empty if the server has none.
 * @throws GatewayError `provider_misconfigured`
 */
export function createCredentials(
  auth: McpAuth__Output | null,
  secret: string,
  deps: CredentialsDeps,
): Credentials {
  const type = auth?.type ?? 'NONE';
  if (type === 'OAUTH_CLIENT_CREDENTIALS') {
    if (secret === '') throw misconfigured('its secret is missing');
    return fromTokens(auth, secret, deps);
  }
  const headers = authHeaders(auth ?? { type }, secret, misconfigured);
  return {
    headers: () => headers,
    refused: () => false,
    secrets: () => (type === 'NONE' ? [] : [secret]),
    release: () => undefined,
  };
}

function fromTokens(
  auth: McpAuth__Output | null,
  clientSecret: string,
  { openAgent, connectTimeoutMs, nowMs }: CredentialsDeps,
): Credentials {
  const url = httpUrl(auth?.tokenUrl ?? '', 'the URL of its token endpoint');
  const { clientId = '', scope = '', resource = '' } = auth ?? {};
  if (clientId === '') throw misconfigured('its client id is missing');
  const { agent, release } = openAgent(url.origin);
  const client = { url, agent, connectTimeoutMs, clientId, clientSecret, scope, resource };
  const tokens = createTokenSource({ request: () => requestToken(client), nowMs });
  return {
    headers: async () => bearer(await tokens.get()),
    refused: ({ authorization = '' }) => tokens.refused(authorization.slice(BEARER.length)),
    secrets: () => [clientSecret, ...tokens.known()],
    release,
  };
}

const BEARER = 'Bearer ';

function bearer(token: string): Headers {
  return { authorization: `${BEARER}${token}` };
}
