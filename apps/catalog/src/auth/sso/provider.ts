import { createBoundedCache, singleFlight, type Clock } from '@tollgate/kit';
import * as oidc from 'openid-client';

import { SsoRefusal } from '../sso-refusal';
import { addressSource, valueAt, type Claims } from './claims';
import type { SsoSettings } from './settings';

/** Talks to the identity provider: discovery, the authorization request, and the callback. */

/** Endpoints and keys may change: discovery is repeated after this time. */
const DISCOVERY_KEPT_MS = 3_600_000;
const ANSWER_TIMEOUT_SECONDS = 10;

/** What the browser must bring back to the callback. */
export interface Expected {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

export interface SsoProvider {
  /** Where to redirect the browser, and what to expect back. */
  begin(): Promise<{ url: string; expected: Expected }>;
  /** Exchanges the code and returns verified claims. Throws SsoRefusal. */
  finish(query: Readonly<Record<string, unknown>>, expected: Expected): Promise<Told>;
}

export interface Told {
  readonly issuer: string;
  readonly subject: string;
  readonly claims: Claims;
  /** The claims of one source, for both the address and its verified flag. */
  readonly address: Claims;
}

export function createSsoProvider(
  settings: SsoSettings,
  redirectUri: string,
  clock: Clock,
): SsoProvider {
  const once = singleFlight<oidc.Configuration>();
  const known = createBoundedCache<'provider', { config: oidc.Configuration; atMs: number }>({
    max: 1,
  });

  function discovered(): Promise<oidc.Configuration> {
    const found = known.get('provider');
    if (found !== undefined && clock.now() < found.atMs + DISCOVERY_KEPT_MS) {
      return Promise.resolve(found.config);
    }
    return once('provider', async () => {
      const config = await discover(settings);
      known.set('provider', { config, atMs: clock.now() });
      return config;
    });
  }

  return {
    async begin() {
      const config = await discovered().catch(unavailable);
      const verifier = oidc.randomPKCECodeVerifier();
      const expected = { state: oidc.randomState(), nonce: oidc.randomNonce(), verifier };
      const url = oidc.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        response_type: 'code',
        scope: settings.scopes.join(' '),
        code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state: expected.state,
        nonce: expected.nonce,
      });
      return { url: url.href, expected };
    },

    async finish(query, expected) {
      const config = await discovered().catch(unavailable);
      try {
        const tokens = await oidc.authorizationCodeGrant(config, cameBack(redirectUri, query), {
          expectedState: expected.state,
          expectedNonce: expected.nonce,
          pkceCodeVerifier: expected.verifier,
          idTokenExpected: true,
        });
        const claims = tokens.claims();
        if (claims === undefined)
          throw new SsoRefusal('sso_failed', 'the provider sent no ID token');
        const { issuer } = config.serverMetadata();
        const userInfo = await moreAbout(config, settings, tokens.access_token, claims);
        return {
          issuer,
          subject: claims.sub,
          claims: { ...userInfo, ...claims },
          address: addressSource(claims, userInfo, settings),
        };
      } catch (error) {
        throw refusalOf(error);
      }
    },
  };
}

function discover(settings: SsoSettings): Promise<oidc.Configuration> {
  const { issuer, clientId, clientSecret, clientAuth } = settings;
  const auth =
    clientSecret === undefined
      ? oidc.None()
      : clientAuth === 'client_secret_post'
        ? oidc.ClientSecretPost(clientSecret)
        : oidc.ClientSecretBasic(clientSecret);
  // The settings allow http for loopback addresses only.
  const insecure = issuer.protocol === 'http:' ? [oidc.allowInsecureRequests] : [];
  return oidc.discovery(issuer, clientId, undefined, auth, {
    timeout: ANSWER_TIMEOUT_SECONDS,
    execute: insecure,
  });
}

/** Many providers put only the subject into the ID token, so userinfo is fetched for the rest. */
async function moreAbout(
  config: oidc.Configuration,
  { claims: names }: SsoSettings,
  accessToken: string,
  claims: Claims & { readonly sub: string },
): Promise<Claims> {
  const { email, emailVerified, name: fullName, role, organisation, team } = names;
  const needed = [email, emailVerified, fullName, role, organisation, team];
  const missing = needed.some((name) => name !== undefined && valueAt(claims, name) === undefined);
  if (!missing || config.serverMetadata().userinfo_endpoint === undefined) return {};
  return oidc.fetchUserInfo(config, accessToken, claims.sub);
}

function cameBack(redirectUri: string, query: Readonly<Record<string, unknown>>): URL {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(query)) {
    // Keeps repeated parameters, so that the library refuses them.
    for (const one of Array.isArray(value) ? value : [value]) {
      if (typeof one === 'string') url.searchParams.append(name, one);
    }
  }
  return url;
}

function unavailable(error: unknown): never {
  throw new SsoRefusal('sso_unavailable', reasonOf(error));
}

function refusalOf(error: unknown): SsoRefusal {
  if (error instanceof SsoRefusal) return error;
  if (error instanceof oidc.AuthorizationResponseError) {
    return new SsoRefusal('sso_denied', error.error);
  }
  const { code } = error as { code?: unknown };
  const away = error instanceof TypeError || code === 'OAUTH_TIMEOUT';
  const network = away && /fetch failed|timed out/i.test(reasonOf(error));
  return new SsoRefusal(network ? 'sso_unavailable' : 'sso_failed', reasonOf(error));
}

/** Only the message: causes contain requests with codes and tokens. */
function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
