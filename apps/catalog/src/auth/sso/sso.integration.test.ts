import { rest } from '@tollgate/contracts';
import { readConfig } from '@tollgate/kit';
import type { Database } from '../../db';
import {
  CONSOLE,
  createTenant,
  startRest,
  TENANT_PASSWORD,
  type RestServer,
  type Tenant,
} from '../../rest/test-support';
import { startTestDatabases, type TestDatabases } from '../../test-support';
import { readSsoSettings, ssoShape, type SsoSettings } from './settings';
import {
  createBrowser,
  startIdentityProvider,
  type Browser,
  type IdentityProvider,
} from './test-support/identity-provider';

let databases: TestDatabases;
let database: Database;
let provider: IdentityProvider;
/** Role, organisation and teams by claims. */
let server: RestServer;
/** Nothing but the linking of addresses. */
let plain: RestServer;
let tenant: Tenant;
let people = 0;

const CLIENT = { id: 'tollgate', secret: 'a secret of the client' };
const START = `${CONSOLE}${rest.startSso.path}?next=/acme/usage`;

beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.fresh();
  const redirectUri = `${CONSOLE}${rest.finishSso.path}`;
  provider = await startIdentityProvider({ ...CLIENT, redirectUri });
  server = await startRest(database, {
    sso: settings({
      OIDC_ROLE_CLAIM: 'groups',
      OIDC_ROLE_MAPPING: '{"leads":"MANAGER","staff":"USER"}',
      OIDC_ORGANISATION_CLAIM: 'organisation',
      OIDC_TEAM_CLAIM: 'teams',
      OIDC_ALLOWED_DOMAINS: 'example.com,acme.example.com',
    }),
  });
  plain = await startRest(database, { sso: settings({}) });
  tenant = await createTenant(server, 'acme');
  await createTenant(server, 'rival');
});
afterAll(async () => {
  await server.stop();
  await plain.stop();
  await provider.stop();
  await databases.stop();
});

function settings(env: Record<string, string>): SsoSettings {
  const read = readSsoSettings(
    readConfig('catalog', ssoShape, {
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: CLIENT.id,
      OIDC_CLIENT_SECRET: CLIENT.secret,
      ...env,
    }),
  );
  if (read === undefined) throw new Error('no settings');
  return read;
}

const STAFF = {
  email_verified: true,
  name: 'Ada',
  groups: ['staff'],
  organisation: 'acme',
  teams: ['Research'],
};

type Somebody = { sub: string; email: string };

function somebody(): Somebody {
  people += 1;
  return { sub: `subject-${people}`, email: `person${people}@example.com` };
}

async function signIn(
  { sub, email }: Somebody,
  claims: object = {},
  at: RestServer = server,
): Promise<{ query: URLSearchParams; browser: Browser }> {
  await provider.expect({ sub, claims: { email, ...STAFF, ...claims } });
  const browser = createBrowser(CONSOLE, at.url);
  return { query: await browser.signIn(START), browser };
}

async function meOf(browser: Browser): Promise<rest.Me> {
  const cookie = `${rest.REFRESH_COOKIE}=${browser.cookie(rest.REFRESH_COOKIE)}`;
  const { accessToken } = await server.ok(undefined, rest.refresh, { headers: { cookie } });
  return server.ok({ token: accessToken }, rest.getMe);
}

const errorOf = async (somebody: Somebody, claims: object, at = server): Promise<string | null> =>
  (await signIn(somebody, claims, at)).query.get('error');

describe('signing in elsewhere', () => {
  it('makes a user where the claims say, and opens a session', async () => {
    const ada = somebody();
    const { query, browser } = await signIn(ada, { groups: ['leads'] });
    expect(Object.fromEntries(query)).toEqual({ signedIn: '1', next: '/acme/usage' });
    const me = await meOf(browser);
    expect(me).toMatchObject({ email: ada.email, name: 'Ada', role: 'MANAGER' });
    expect(me.organisation?.slug).toBe('acme');
    expect(me.managedTeamIds).toEqual([tenant.teamId]);
    expect(browser.cookie(rest.SSO_COOKIE)).toBeUndefined();
  });

  it('brings role and teams up to date each time, by the subject and not by the address', async () => {
    const ada = somebody();
    await signIn(ada, { groups: ['leads'] });
    const renamed = { ...ada, email: `new-${ada.email}` };
    const { browser } = await signIn(renamed, { groups: ['staff'], teams: ['Sales'] });
    const me = await meOf(browser);
    expect(me).toMatchObject({ email: ada.email, role: 'USER', managedTeamIds: [] });
    const { rows } = await database.pool.query<{ team_id: string }>(
      'SELECT team_id FROM team_member WHERE user_id = $1',
      [me.id],
    );
    expect(rows.map((row) => row.team_id)).toEqual([tenant.otherTeamId]);
  });

  it('is listed as such among the sessions, and written down', async () => {
    const { browser } = await signIn(somebody());
    const cookie = `${rest.REFRESH_COOKIE}=${browser.cookie(rest.REFRESH_COOKIE)}`;
    const { accessToken } = await server.ok(undefined, rest.refresh, { headers: { cookie } });
    const who = { token: accessToken };
    const { data } = await server.ok(who, rest.listOwnSessions);
    expect(data.map(({ method }) => method)).toEqual(['SSO']);
    const { id } = await server.ok(who, rest.getMe);
    const trail = await server.ok(tenant.callers.ORG_ADMIN, rest.listAuditEvents, {
      params: { organisationId: tenant.organisationId },
      query: { targetId: id },
    });
    expect(trail.data.map(({ action }) => action).toSorted()).toEqual([
      'user.create',
      'user.link-identity',
    ]);
  });

  it('links an account of the same address, whose password goes on working', async () => {
    const user = { sub: 'linked', email: 'user@acme.example.com' };
    const { browser } = await signIn(user, { groups: ['staff'], teams: ['Research'] });
    expect((await meOf(browser)).id).toBe(tenant.userIds.USER);
    await server.signIn(user.email, TENANT_PASSWORD);
  });

  it('accepts an open invitation to the verified address', async () => {
    const guest = somebody();
    await plain.ok(tenant.callers.ORG_ADMIN, rest.createInvitation, {
      body: { email: guest.email, role: 'MANAGER', teamIds: [tenant.teamId] },
    });
    const { browser } = await signIn(guest, {}, plain);
    expect(await meOf(browser)).toMatchObject({
      email: guest.email,
      role: 'MANAGER',
      managedTeamIds: [tenant.teamId],
    });
  });
});

describe('what ends at the sign-in page', () => {
  it('is an address that the provider does not vouch for', async () => {
    const taken = { sub: 'thief', email: 'manager@acme.example.com' };
    expect(await errorOf(taken, { email_verified: false })).toBe('sso_email_not_verified');
    expect(await errorOf(taken, { email_verified: undefined })).toBe('sso_email_not_verified');
  });

  it('is a domain that is not allowed', async () => {
    const stranger = { sub: 'stranger', email: 'eve@elsewhere.test' };
    expect(await errorOf(stranger, {})).toBe('sso_domain_not_allowed');
  });

  it('is a person whom the claims give no role', async () => {
    expect(await errorOf(somebody(), { groups: ['guests'] })).toBe('sso_no_role');
  });

  it('is a newcomer without an organisation', async () => {
    expect(await errorOf(somebody(), { organisation: 'nowhere' })).toBe('sso_no_organisation');
    expect(await errorOf(somebody(), {}, plain)).toBe('sso_no_organisation');
  });

  it('is a user whom the claims place in another organisation', async () => {
    const ada = somebody();
    await signIn(ada);
    expect(await errorOf(ada, { organisation: 'rival' })).toBe('sso_other_organisation');
  });

  it('is a disabled user', async () => {
    const ada = somebody();
    const { id } = await meOf((await signIn(ada)).browser);
    const params = { organisationId: tenant.organisationId, userId: id };
    await server.ok(tenant.callers.ORG_ADMIN, rest.disableUser, { params });
    expect(await errorOf(ada, {})).toBe('sso_account_disabled');
  });

  it('is who cancels there', async () => {
    await provider.expect({ sub: 'x', claims: {}, refuses: true });
    const query = await createBrowser(CONSOLE, server.url).signIn(START);
    expect(Object.fromEntries(query)).toEqual({ error: 'sso_denied', next: '/acme/usage' });
  });

  it('is a provider that is away', async () => {
    const away = { ...settings({}), issuer: new URL('http://127.0.0.1:9') };
    const lonely = await startRest(database, { sso: away });
    const query = await createBrowser(CONSOLE, lonely.url).signIn(START);
    expect(query.get('error')).toBe('sso_unavailable');
    await lonely.stop();
  });
});

describe('the way back', () => {
  const callback = (query: string): string => `${CONSOLE}${rest.finishSso.path}?${query}`;

  async function begin(): Promise<{ cookie: string; url: URL }> {
    const response = await fetch(START.replace(CONSOLE, server.url), { redirect: 'manual' });
    expect(response.status).toBe(302);
    const [header = ''] = response.headers.getSetCookie();
    expect(header).toMatch(/; Path=\/api\/auth\/oidc; Max-Age=600; HttpOnly; SameSite=Lax$/);
    return {
      cookie: header.split(';')[0] ?? '',
      url: new URL(response.headers.get('location') ?? ''),
    };
  }

  async function comeBack(query: string, cookie: string): Promise<string | null> {
    const response = await fetch(callback(query).replace(CONSOLE, server.url), {
      redirect: 'manual',
      headers: { cookie },
    });
    expect(response.headers.getSetCookie().join()).not.toContain(rest.REFRESH_COOKIE);
    return new URL(response.headers.get('location') ?? '').searchParams.get('error');
  }

  it('begins with state, nonce and a code challenge', async () => {
    const { url } = await begin();
    expect(url.origin).toBe(provider.issuer);
    expect(url.searchParams.get('code_challenge_method')).toBe('S256');
    for (const name of ['state', 'nonce', 'code_challenge']) {
      expect(url.searchParams.get(name)).toMatch(/^[\w-]{43}$/);
    }
    expect(url.searchParams.get('redirect_uri')).toBe(`${CONSOLE}${rest.finishSso.path}`);
  });

  it('is closed without the cookie, with a forged one, and after ten minutes', async () => {
    const { cookie, url } = await begin();
    const query = `code=abc&state=${url.searchParams.get('state')}`;
    expect(await comeBack(query, '')).toBe('sso_expired');
    expect(await comeBack(query, `${cookie}x`)).toBe('sso_expired');
    server.clock.advance(11 * 60_000);
    expect(await comeBack(query, cookie)).toBe('sso_expired');
  });

  it('is closed to another state and to a code that is none', async () => {
    const { cookie, url } = await begin();
    expect(await comeBack('code=abc&state=another', cookie)).toBe('sso_failed');
    const state = url.searchParams.get('state');
    expect(await comeBack(`code=abc&state=${state}`, cookie)).toBe('sso_failed');
    expect(await comeBack(`code=abc&code=def&state=${state}`, cookie)).toBe('sso_failed');
  });

  it.each(['https://evil.test', '//evil.test', '/\\evil.test', 'acme'])(
    'never leads to %s',
    async (next) => {
      const url = `${server.url}${rest.startSso.path}?next=${encodeURIComponent(next)}`;
      const response = await fetch(url, { redirect: 'manual' });
      expect(response.status).toBe(422);
    },
  );

  it('leaves no code, no token and no secret in the log', () => {
    const text = [...server.logs, ...plain.logs].join('\n');
    expect(text).toContain('single sign-on was refused');
    expect(text).not.toMatch(/code=|eyJ|a secret of the client/);
  });
});

it('is told as a way to sign in, and is not there when it is not configured', async () => {
  expect((await server.ok(undefined, rest.getSignInMethods)).sso).toEqual({
    name: 'single sign-on',
    path: '/api/auth/oidc/start',
  });
  const without = await startRest(database);
  expect((await fetch(`${without.url}${rest.startSso.path}`)).status).toBe(404);
  await without.stop();
});
