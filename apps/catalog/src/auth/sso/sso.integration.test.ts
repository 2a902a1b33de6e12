import { rest } from '@tollgate/contracts';
import { readConfig } from '@tollgate/kit';

import { appendOutbox } from '../../outbox';
import {
  CONSOLE,
  createTenant,
  startRest,
  TENANT_PASSWORD,
  type RestServer,
  type Tenant,
} from '../../rest/test-support';
import type { Database } from '../../schema';
import { startTestDatabases, until, type TestDatabases } from '../../test-support';
import { liveSessions, lockAccount } from '../sessions';
import { UserIdentity } from '../user-identity.entity';
import type { Claims } from './claims';
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
/** Claims decide role, organisation and teams. */
let server: RestServer;
/** Links by address only. */
let plain: RestServer;
let tenant: Tenant;
let rival: Tenant;
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
  rival = await createTenant(server, 'rival');
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

interface Somebody {
  sub: string;
  email: string;
}

function somebody(): Somebody {
  people += 1;
  return { sub: `subject-${people}`, email: `person${people}@example.com` };
}

async function signIn(
  { sub, email }: Somebody,
  claims: object = {},
  at: RestServer = server,
  idToken: Claims = {},
): Promise<{ query: URLSearchParams; browser: Browser }> {
  await provider.expect({ sub, claims: { email, ...STAFF, ...claims }, idToken });
  const browser = createBrowser(CONSOLE, at.url);
  return { query: await browser.signIn(START), browser };
}

async function meOf(browser: Browser): Promise<rest.Me> {
  const cookie = `${rest.REFRESH_COOKIE}=${browser.cookie(rest.REFRESH_COOKIE)}`;
  const { accessToken } = await server.ok(undefined, rest.refresh, { headers: { cookie } });
  return server.ok({ token: accessToken }, rest.getMe);
}

const errorOf = async (
  ...signing: [somebody: Somebody, claims: object, at?: RestServer, idToken?: Claims]
): Promise<string | null> => (await signIn(...signing)).query.get('error');

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

  it('links an account of the same address, and ends what its maker knows of it', async () => {
    const user = { sub: 'linked', email: 'user@acme.example.com' };
    const userId = tenant.userIds.USER;
    await server.signIn(user.email, TENANT_PASSWORD);
    const params = { organisationId: tenant.organisationId, userId };
    await server.ok(tenant.callers.ORG_ADMIN, rest.createUserResetLink, { params });
    const { browser } = await signIn(user, { groups: ['staff'], teams: ['Research'] });
    expect((await meOf(browser)).id).toBe(userId);
    const body = { email: user.email, password: TENANT_PASSWORD };
    expect((await server.refused(undefined, rest.login, { body })).code).toBe(
      'invalid_credentials',
    );
    const sessions = await liveSessions(database.orm.manager, userId, server.clock.now());
    expect(sessions.map(({ method }) => method)).toEqual(['SSO']);
    const links = await database.pool.query('SELECT FROM password_reset WHERE user_id = $1', [
      userId,
    ]);
    expect(links.rowCount).toBe(0);
  });

  it('leaves an account that another issuer has linked before with its password', async () => {
    const ada = somebody();
    const { id } = await meOf((await signIn(ada)).browser);
    await database.pool.query('UPDATE user_account SET password_hash = $2 WHERE id = $1', [
      id,
      `fast:${TENANT_PASSWORD}`,
    ]);
    await database.orm.manager.update(
      UserIdentity,
      { userId: id },
      { issuer: 'https://other.test' },
    );
    await signIn(ada);
    expect((await server.signIn(ada.email, TENANT_PASSWORD)).token).toEqual(expect.any(String));
  });

  it('asks userinfo whether the address is verified when the ID token does not say', async () => {
    const ada = somebody();
    const { email } = ada;
    const idToken = { email, name: 'Ada', groups: ['staff'], organisation: 'acme', teams: [] };
    expect(await errorOf(ada, {}, server, idToken)).toBeNull();
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

describe('teams by a claim', () => {
  const teamsOf = async (email: string): Promise<string[]> => {
    const { rows } = await database.pool.query<{ name: string }>(
      `SELECT team.name FROM team_member JOIN team ON team.id = team_id
         JOIN user_account u ON u.id = user_id WHERE u.email = $1 ORDER BY team.name`,
      [email],
    );
    return rows.map(({ name }) => name);
  };

  it('stay as they are without the claim, and end with an empty one', async () => {
    const ada = somebody();
    await signIn(ada);
    await signIn(ada, { teams: undefined });
    expect(await teamsOf(ada.email)).toEqual(['Research']);
    await signIn(ada, { teams: [] });
    expect(await teamsOf(ada.email)).toEqual([]);
  });

  it('are looked up among all values, and no more than fifty are joined', async () => {
    const ada = somebody();
    await signIn(ada, { teams: ['Sales'] });
    const others = Array.from({ length: 60 }, (_none, n) => `no team ${n}`);
    await signIn(ada, { teams: [...others, 'Sales', 'Research'] });
    expect(await teamsOf(ada.email)).toEqual(['Research', 'Sales']);
    await database.pool.query(
      `INSERT INTO team (id, organisation_id, name)
       SELECT ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, $1, 'team ' || n
         FROM generate_series(1, 60) n`,
      [tenant.organisationId],
    );
    const many = Array.from({ length: 60 }, (_none, n) => `team ${n + 1}`);
    await signIn(ada, { teams: [...many, 'Sales', 'Research'] });
    const joined = await teamsOf(ada.email);
    expect(joined).toHaveLength(50);
    expect(joined).toEqual(expect.arrayContaining(['Research', 'Sales']));
  });
});

describe('of several invitations', () => {
  const invite = (from: Tenant, { email }: Somebody): Promise<unknown> =>
    server.ok(from.callers.ORG_ADMIN, rest.createInvitation, { body: { email, role: 'MANAGER' } });

  it("another organisation's never wins over what the claims say", async () => {
    const guest = somebody();
    await invite(rival, guest);
    await invite(tenant, guest);
    const { browser } = await signIn(guest, { organisation: 'rival' });
    expect((await meOf(browser)).organisation?.slug).toBe('rival');
    const { rows } = await database.pool.query(
      'SELECT organisation_id, status FROM organisation_invitation WHERE email = $1 ORDER BY id',
      [guest.email],
    );
    expect(rows).toEqual([
      { organisation_id: rival.organisationId, status: 'ACCEPTED' },
      { organisation_id: tenant.organisationId, status: 'PENDING' },
    ]);
  });

  it("another organisation's never wins over the default organisation", async () => {
    const guest = somebody();
    await invite(rival, guest);
    const sso = settings({ OIDC_DEFAULT_ORGANISATION: 'acme' });
    const homely = await startRest(database, { sso });
    const { browser } = await signIn(guest, {}, homely);
    expect((await meOf(browser)).organisation?.slug).toBe('acme');
    await homely.stop();
  });

  it('none is chosen when nothing decides, and the open one hides behind no expired one', async () => {
    const guest = somebody();
    await invite(tenant, guest);
    await invite(rival, guest);
    expect(await errorOf(guest, {}, plain)).toBe('sso_no_organisation');
    await database.pool.query(
      `UPDATE organisation_invitation SET expires_at = now() - interval '1 day'
        WHERE email = $1 AND organisation_id = $2`,
      [guest.email, rival.organisationId],
    );
    const { browser } = await signIn(guest, {}, plain);
    expect((await meOf(browser)).organisation?.slug).toBe('acme');
  });
});

it('news of a sign-in is told last, after the account is locked', async () => {
  const ada = somebody();
  const { id } = await meOf((await signIn(ada)).browser);
  const { organisationId } = tenant;
  let signing: ReturnType<typeof signIn> | undefined;
  await database.orm.transaction(async (tx) => {
    await lockAccount(tx, id);
    signing = signIn(ada, { teams: [] });
    await until(async () => {
      const { rowCount } = await database.pool.query(
        `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
      );
      return rowCount === 1;
    });
    await appendOutbox(tx, { kind: 'TEAM', organisationId });
  });
  expect((await signing)?.query.get('signedIn')).toBe('1');
});

describe('what ends at the sign-in page', () => {
  it('is somebody else with the address of an account that is linked already', async () => {
    const ada = somebody();
    const { id } = await meOf((await signIn(ada)).browser);
    const second = { ...ada, sub: `${ada.sub}-again` };
    expect(await errorOf(second, {})).toBe('sso_account_linked');
    const both = database.orm.manager.insert(UserIdentity, {
      issuer: provider.issuer,
      subject: second.sub,
      userId: id,
    });
    await expect(both).rejects.toThrow('user_identity_issuer_user_id_key');
    const { data } = await server.ok(tenant.callers.ORG_ADMIN, rest.listAuditEvents, {
      params: { organisationId: tenant.organisationId },
      query: { targetId: id, action: 'user.refuse-identity' },
    });
    expect(data.map(({ after }) => after)).toEqual([
      { issuer: provider.issuer, subject: second.sub },
    ]);
  });

  it('is an address in the ID token with the flag of another', async () => {
    const ada = somebody();
    const address = { email: 'manager@acme.example.com' };
    const userInfo = { email: undefined, email_verified: true };
    expect(await errorOf(ada, userInfo, server, address)).toBe('sso_email_not_verified');
  });

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
