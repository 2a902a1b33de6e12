// The client credentials grant (RFC 6749, section 4.4) as bytes: what a token endpoint is asked, and what it
// answers. Each service sends it in its own way.
import { z } from 'zod';

export interface TokenClient {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Empty: none is sent, as with `resource`. */
  readonly scope: string;
  /** RFC 8707: the address that the token is for. */
  readonly resource: string;
}

export interface TokenRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface TokenAnswer {
  readonly token: string;
  readonly lifetimeMs: number;
}

/** Longest answer of a token endpoint that is read, in bytes. */
export const TOKEN_ANSWER_BYTES = 64 * 1024;

/** A POST to the token endpoint. */
export function tokenRequest({
  clientId,
  clientSecret,
  scope,
  resource,
}: TokenClient): TokenRequest {
  const form = new URLSearchParams({ grant_type: 'client_credentials' });
  if (scope !== '') form.set('scope', scope);
  if (resource !== '') form.set('resource', resource);
  return {
    headers: {
      accept: 'application/json',
      authorization: clientAuthorization(clientId, clientSecret),
      'content-type': 'application/x-www-form-urlencoded',
      'user-agent': 'tollgate',
    },
    body: form.toString(),
  };
}

/** RFC 6749, section 2.3.1: both parts are form-encoded before they are joined. */
export function clientAuthorization(clientId: string, clientSecret: string): string {
  const pair = [clientId, clientSecret].map(formEncoded).join(':');
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

function formEncoded(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}

/** Lifetime of a token whose server states none. */
const USUAL_LIFETIME_S = 300;
const MOST_LIFETIME_S = 86_400;

const answerShape = z.object({
  access_token: z
    .string()
    .max(8_192)
    .regex(/^[\x21-\x7e]+$/),
  token_type: z.string().regex(/^bearer$/i),
  // Some servers send the seconds as a text.
  expires_in: z.coerce.number().positive().nullish(),
});

/** Undefined: it has no bearer token that can be used. */
export function readTokenAnswer(text: string): TokenAnswer | undefined {
  const { data } = answerShape.safeParse(parsed(text));
  if (!data) return undefined;
  const seconds = Math.min(data.expires_in ?? USUAL_LIFETIME_S, MOST_LIFETIME_S);
  return { token: data.access_token, lifetimeMs: Math.floor(seconds * 1_000) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
