// From an access token to the API key that it stands for. What can be checked without the provider's keys is
// checked first, so that made-up tokens cost a parse and never a request.

import { createHash } from 'node:crypto';
import { gatewayError } from '@tollgate/contracts';
import { createBoundedCache } from '@tollgate/kit';
import { decodeJwt, decodeProtectedHeader, errors, jwtVerify } from 'jose';

import { matchRule, type Claims } from './match-rule';
import type { ProviderKeys } from './provider-keys';
import type { SignIn } from './sign-ins';

/** Whom a request is of. */
export interface Caller {
  readonly keySha256: Buffer;
  /** What sessions belong to: with a token its person too, who may share the key with others. */
  readonly principal: Buffer;
  /** When the token expires, in milliseconds since 1970; undefined: a key was sent. */
  readonly expiresMs: number | undefined;
}

export interface TokenReader {
  /** Whether it has the shape of a JSON Web Token, which no API key has. */
  isToken: (text: string) => boolean;
  /**
   * @throws GatewayError `invalid_api_key`, `mcp_access_denied`, `dependency_unavailable`; MissingScope
   */
  read: (token: string, signIn: SignIn, resource: string) => Promise<Caller>;
}

/** The token is valid, but may not be used for this. */
export class MissingScope extends Error {
  override readonly name = 'MissingScope';
  readonly error = gatewayError(
    'mcp_access_denied',
    'The access token lacks a scope that MCP servers of this organisation need. Sign in again and grant it.',
  );
}

export interface TokenReaderDeps {
  readonly keys: ProviderKeys;
  /** Milliseconds since 1970, which tokens state. */
  readonly wallMs: () => number;
}

const TOKEN_CHARACTERS = 8_192;
const SHAPE = /^[\w-]+\.[\w-]+\.[\w-]+$/;
/** None of them is symmetric: a public key must not serve as a secret. */
const ALGORITHMS = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');
const LEEWAY_SECONDS = 30;
const MOST_VERIFIED = 10_000;
/** A verified token is not verified again for this long, nor after it expires. */
const VERIFIED_MS = 300_000;

interface Verified {
  readonly claims: Claims;
  readonly untilMs: number;
}

export function createTokenReader({ keys, wallMs }: TokenReaderDeps): TokenReader {
  const verified = createBoundedCache<string, Verified>({ max: MOST_VERIFIED });

  const claimsOf = async (token: string, signIn: SignIn, resource: string): Promise<Claims> => {
    // The settings are a part of what was checked.
    const { audiences, issuer } = signIn;
    const checked = JSON.stringify([issuer, audiences, resource, token]);
    const name = createHash('sha256').update(checked).digest('base64');
    const known = verified.get(name);
    if (known !== undefined && wallMs() < known.untilMs) return known.claims;
    const keyId = keyIdOf(token, issuer);
    const claims = await verify(token, await keys.of(issuer, keyId), {
      issuer,
      audience: [resource, ...audiences],
      currentDate: new Date(wallMs()),
    });
    const expiresMs = Number(claims['exp']) * 1_000;
    verified.set(name, { claims, untilMs: Math.min(expiresMs, wallMs() + VERIFIED_MS) });
    return claims;
  };

  return {
    isToken: (text) => SHAPE.test(text),
    read: async (token, signIn, resource) => {
      if (token.length > TOKEN_CHARACTERS) throw refused('it is too long');
      const claims = await claimsOf(token, signIn, resource);
      if (!signIn.scopes.every((scope) => scopesOf(claims).includes(scope)))
        throw new MissingScope();
      const rule = matchRule(signIn.rules, claims);
      if (rule === undefined) throw unmapped();
      const { keySha256 } = rule;
      const person = JSON.stringify([claims['iss'], claims['sub']]);
      const principal = createHash('sha256').update(keySha256).update(person).digest();
      return { keySha256, principal, expiresMs: Number(claims['exp']) * 1_000 };
    },
  };
}

/** Throws for a token that no key of this issuer can have signed. */
function keyIdOf(token: string, issuer: string): string | undefined {
  try {
    const { alg, kid } = decodeProtectedHeader(token);
    if (!ALGORITHMS.includes(alg ?? '')) throw refused('its algorithm is not accepted');
    if (decodeJwt(token).iss !== issuer) throw refused('it is of another issuer');
    return typeof kid === 'string' ? kid : undefined;
  } catch (error) {
    if (error instanceof TypeError || error instanceof errors.JOSEError)
      throw refused('it cannot be read');
    throw error;
  }
}

async function verify(
  token: string,
  key: Awaited<ReturnType<ProviderKeys['of']>>,
  expected: { issuer: string; audience: string[]; currentDate: Date },
): Promise<Claims> {
  try {
    const { payload } = await jwtVerify(token, key, {
      ...expected,
      algorithms: ALGORITHMS,
      clockTolerance: LEEWAY_SECONDS,
      requiredClaims: ['sub', 'exp', 'iss', 'aud'],
    });
    return payload;
  } catch (error) {
    if (error instanceof errors.JWTExpired) throw refused('it has expired');
    if (error instanceof errors.JWTClaimValidationFailed)
      throw refused(`its claim ${error.claim} is not accepted`);
    if (error instanceof errors.JOSEError) throw refused('its signature is not accepted');
    throw error;
  }
}

/** `scope` is a text with blanks (RFC 9068); some providers send a list, or `scp`. */
function scopesOf(claims: Claims): readonly string[] {
  const found = claims['scope'] ?? claims['scp'];
  if (typeof found === 'string') return found.split(' ');
  return Array.isArray(found) ? found.filter((one) => typeof one === 'string') : [];
}

function refused(reason: string) {
  const text = `The access token is not valid: ${reason}. Sign in again.`;
  return gatewayError('invalid_api_key', text);
}

function unmapped() {
  const text =
    'No rule of the organisation gives this account an API key for MCP servers. Ask an administrator to add one.';
  return gatewayError('mcp_access_denied', text);
}
