// The headers by which the gateway authenticates to an MCP server.

import type { McpAuth__Output } from '@tollgate/contracts/node';

import type { Lease } from '../../upstream/agents';
import { httpUrl, misconfigured } from './misconfigured';
import { requestToken } from './request-token';
import { createTokenSource } from './token-source';

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

/** Stands for the secret in the value of a header. */
const SECRET_PLACE = '{{secret}}';

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
  if (type === 'NONE') return fixed({}, []);
  if (secret === '') throw misconfigured('its secret is missing');
  switch (type) {
    case 'BEARER':
      return fixed({ authorization: `Bearer ${secret}` }, [secret]);
    case 'HEADER':
      return fromTemplate(auth?.header ?? '', auth?.template ?? '', secret);
    case 'OAUTH_CLIENT_CREDENTIALS':
      return fromTokens(auth, secret, deps);
    default:
      throw misconfigured('its kind of authentication is unknown');
  }
}

const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;
const HEADER_TEXT = /^[\t\x20-\x7e]+$/;

function fixed(headers: Headers, secrets: readonly string[]): Credentials {
  for (const [name, value] of Object.entries(headers)) {
    if (!HEADER_NAME.test(name)) throw misconfigured('the name of its header is not valid');
    // An invalid value would fail each call, with an error that quotes it.
    if (!HEADER_TEXT.test(value)) {
      throw misconfigured('its secret has characters that a header cannot have');
    }
  }
  return {
    headers: () => headers,
    refused: () => false,
    secrets: () => secrets,
    release: () => undefined,
  };
}

function fromTemplate(header: string, template: string, secret: string): Credentials {
  const [before, after, more] = template.split(SECRET_PLACE);
  if (before === undefined || after === undefined || more !== undefined) {
    throw misconfigured(`the value of its header does not have ${SECRET_PLACE} exactly once`);
  }
  return fixed({ [header.toLowerCase()]: `${before}${secret}${after}` }, [secret]);
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
