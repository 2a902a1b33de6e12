import { createBoundedCache, singleFlight, type Clock } from '@tollgate/kit';
import * as oidc from 'openid-client';
import { addressSource, valueAt, type Claims } from './claims';
import { SsoRefusal } from '../sso-refusal';
import type { SsoSettings } from './settings';

/** The identity provider as it is spoken with: discovery, the way there, and what comes back. */

/** Endpoints and keys may move: the provider is asked again after this. */
const DISCOVERY_KEPT_MS = 3_600_000;
const ANSWER_TIMEOUT_SECONDS = 10;

/** What has to come back with the browser. */
export type Expected = {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
};

export type SsoProvider = {
  /** Where to send the browser, and what to expect it back with. */
  begin(): Promise<{ url: string; expected: Expected }>;
  /** What the provider says of the person, its signature checked. Throws SsoRefusal. */
  finish(query: Readonly<Record<string, unknown>>, expected: Expected): Promise<Told>;
};

export type Told = {
  readonly issuer: string;
  readonly subject: string;
  readonly claims: Claims;
  /** Those of one source, that both the address and the flag that it is verified are read from. */
  readonly address: Claims;
};

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
        if (claims === undefined) throw new SsoRefusal('sso_failed', 'no ID token came');
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
  // The settings allow http on loopback only.
  const insecure = issuer.protocol === 'http:' ? [oidc.allowInsecureRequests] : [];
  return oidc.discovery(issuer, clientId, undefined, auth, {
    timeout: ANSWER_TIMEOUT_SECONDS,
    execute: insecure,
  });
}

/** Many providers put no more than the subject into the ID token: the rest is asked for. */
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
    // A parameter that came twice stays twice, so that the library refuses it.
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

/** The message alone: causes hold requests, and those hold codes and tokens. */
function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
