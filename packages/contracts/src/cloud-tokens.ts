// How identities at clouds are exchanged for access tokens: what is asked of whom, and what the answer says. Edge and
// catalog send it, each through its own guarded connections.
import { createPrivateKey, sign, type KeyObject } from 'node:crypto';
import { z } from 'zod';

import type { EntraClientSecret, ServiceAccount } from './cloud-identities';

/** A form for a token endpoint. */
export interface TokenGrant {
  /** The issuer in messages for people. */
  readonly issuer: string;
  readonly url: URL;
  readonly form: Readonly<Record<string, string>>;
}

export const GOOGLE_SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
export const GOOGLE_TOKEN_ENDPOINT = "Google's token endpoint";
export const ENTRA_TOKEN_ENDPOINT = "Entra's token endpoint";
const ASSERTION_S = 3_600;

/**
 * The JWT bearer grant of a service account (RFC 7523).
 * @throws RangeError without the key's bytes, if the key is not an RSA key
 */
export function serviceAccountGrant(account: ServiceAccount, nowMs: number): TokenGrant {
  const issuedAtS = Math.floor(nowMs / 1_000);
  const kid = account.private_key_id === undefined ? {} : { kid: account.private_key_id };
  const signed = [
    { alg: 'RS256', typ: 'JWT', ...kid },
    {
      scope: GOOGLE_SCOPE,
      iss: account.client_email,
      aud: account.token_uri,
      iat: issuedAtS,
      exp: issuedAtS + ASSERTION_S,
    },
  ]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const key = rsaKey(account.private_key);
  const signature = sign('sha256', Buffer.from(signed), key).toString('base64url');
  return {
    issuer: GOOGLE_TOKEN_ENDPOINT,
    url: new URL(account.token_uri),
    form: {
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion: `${signed}.${signature}`,
    },
  };
}

function rsaKey(pem: string): KeyObject {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === 'rsa') return key;
  } catch {
    // The error would quote the key's bytes.
  }
  throw new RangeError('private_key of its service account is not an RSA key in PEM');
}

/** A client's grant at Entra; `credentials` is a secret or an assertion. */
export function entraGrant(
  authorityHost: string,
  tenantId: string,
  credentials: Readonly<Record<string, string>>,
): TokenGrant {
  const host = authorityHost.replace(/\/+$/, '');
  return {
    issuer: ENTRA_TOKEN_ENDPOINT,
    url: new URL(`${host}/${encodeURIComponent(tenantId)}/oauth2/v2.0/token`),
    form: { grant_type: 'client_credentials', ...credentials },
  };
}

export function clientSecretGrant(identity: EntraClientSecret): TokenGrant {
  const { authorityHost, clientId, clientSecret, scope, tenantId } = identity;
  const credentials = { client_id: clientId, client_secret: clientSecret, scope };
  return entraGrant(authorityHost, tenantId, credentials);
}

const seconds = z.coerce
  .number()
  .positive()
  .max(86_400 * 7);
const answer = z.object({
  access_token: z
    .string()
    .min(1)
    .max(16_384)
    .regex(/^[\x21-\x7e]+$/),
  token_type: z
    .string()
    .regex(/^bearer$/i)
    .optional(),
  /** Metadata services write it as a text. */
  expires_in: seconds.default(300),
});

/** Undefined: the answer has no usable bearer token. */
export function readBearerToken(text: string): { token: string; lifetimeMs: number } | undefined {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return undefined;
  }
  const read = answer.safeParse(document);
  if (!read.success) return undefined;
  return { token: read.data.access_token, lifetimeMs: read.data.expires_in * 1_000 };
}

/** The code of an issuer's refusal: only it may be told, because a description may quote the request. */
export function issuerCodeIn(body: string): string | undefined {
  const code =
    /"(?:error|code|Code)"\s*:\s*"([A-Za-z_.-]{1,64})"|<Code>([A-Za-z.]{1,64})<\/Code>/.exec(body);
  return code?.[1] ?? code?.[2];
}
