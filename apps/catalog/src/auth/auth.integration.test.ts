import { rest } from '@tollgate/contracts';

import {
  ADMIN,
  createTenant,
  startRest,
  TENANT_PASSWORD,
  type RestServer,
  type Tenant,
  type Who,
} from '../rest/test-support';
import type { Database } from '../schema';
import { startTestDatabases, type TestDatabases } from '../test-support';
import { createPasswords } from './passwords';

let databases: TestDatabases;
let database: Database;
let server: RestServer;
let tenant: Tenant;
let people = 0;
let root: Who;
let admin: Who;

const PASSWORD = 'a long enough password';

beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.fresh();
  server = await startRest(database);
  tenant = await createTenant(server, 'acme');
});
// Other tests advance the clock, which expires sessions, so each test signs in anew.
beforeEach(async () => {
  root = await server.signIn(ADMIN.email, ADMIN.password);
  admin = await server.signIn('org_admin@acme.example.com', TENANT_PASSWORD);
});
afterAll(async () => {
  await server.stop();
  await databases.stop();
});

async function person(): Promise<{ id: string; email: string; token: string; cookie: string }> {
  people += 1;
  const email = `person${people}@acme.example.com`;
  const { id } = await server.ok(root, rest.createUser, {
    params: { organisationId: tenant.organisationId },
    body: { email, name: 'Person', password: PASSWORD },
  });
  return { id, email, ...(await server.signIn(email, PASSWORD)) };
}

async function refresh(cookie: string): Promise<{ status: number; cookie: string; token: string }> {
  const { status, headers, body } = await server.call(undefined, rest.refresh, {
    headers: { cookie },
  });
  const next = headers.getSetCookie()[0]?.split(';')[0] ?? '';
  return { status, cookie: next, token: status === 200 ? body.accessToken : '' };
}

describe('signing in', () => {
  it('is answered with a short access token and a cookie that no script sees', async () => {
    const { email } = await person();
    const { body, headers } = await server.call(undefined, rest.login, {
      body: { email: email.toUpperCase(), password: PASSWORD },
    });
    expect(body.expiresIn).toBe(900);
    const [cookie] = headers.getSetCookie();
    expect(cookie).toMatch(
      /^tollgate_refresh=[\w-]{43}; Path=\/api\/auth; Max-Age=1209600; HttpOnly; SameSite=Strict$/,
    );
    expect(headers.get('cache-control')).toBe('private, no-cache');
  });

  it('answers a wrong password and an unknown address alike', async () => {
    const { email } = await person();
    const wrong = { email, password: 'not the password' };
    const unknown = { email: 'nobody@acme.example.com', password: PASSWORD };
    for (const body of [wrong, unknown]) {
      const { status, code } = await server.refused(undefined, rest.login, { body });
      expect([status, code]).toEqual([401, 'invalid_credentials']);
    }
  });

  it('is throttled after ten failures, with the time to wait, and open again after it', async () => {
    const { email } = await person();
    const wrong = { body: { email, password: 'not the password' } };
    for (let n = 0; n < 10; n += 1) {
      expect((await server.refused(undefined, rest.login, wrong)).status).toBe(401);
    }
    const right = { body: { email, password: PASSWORD } };
    const { status, headers } = await server.refused(undefined, rest.login, right);
    expect(status).toBe(429);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    server.clock.advance(16 * 60_000);
    await server.ok(undefined, rest.login, right);
  });

  it('works with argon2id, which tells right from wrong', async () => {
    const passwords = createPasswords();
    const stored = await passwords.hash(PASSWORD);
    expect(stored).toMatch(/^\$argon2id\$/);
    expect(await passwords.verify(stored, PASSWORD)).toBe(true);
    expect(await passwords.verify(stored, `${PASSWORD}!`)).toBe(false);
    expect(await passwords.verify(null, 'nobody has this password')).toBe(false);
  });

  it('leaves no password and no token in log, audit trail or database', async () => {
    const { cookie, token } = await person();
    const refreshToken = cookie.split('=')[1] ?? '';
    const trail: { details: unknown }[] = await database.orm.query(
      'SELECT details FROM audit_event',
    );
    const sessions: unknown[] = await database.orm.query('SELECT * FROM refresh_token');
    const text = [...server.logs, JSON.stringify(trail), JSON.stringify(sessions)].join('\n');
    for (const secret of [PASSWORD, token, refreshToken]) expect(text).not.toContain(secret);
  });
});

describe('a session', () => {
  it('is refreshed with a new cookie, again and again', async () => {
    const first = await person();
    const second = await refresh(first.cookie);
    expect(second.cookie).not.toBe(first.cookie);
    const third = await refresh(second.cookie);
    expect((await server.ok({ token: third.token }, rest.getMe)).email).toBe(first.email);
  });

  it('ends altogether when a used cookie comes back', async () => {
    const first = await person();
    const second = await refresh(first.cookie);
    server.clock.advance(11_000);
    expect((await refresh(first.cookie)).status).toBe(401);
    expect((await refresh(second.cookie)).status).toBe(401);
    expect((await server.call({ token: second.token }, rest.getMe)).status).toBe(401);
    const events = await server.ok(root, rest.listAuditEvents, {
      params: { organisationId: tenant.organisationId },
      query: { action: 'session.reuse-detected' },
    });
    expect(events.data[0]?.after).toEqual({ userId: first.id });
  });

  it('bears two refreshes at the same moment', async () => {
    const { cookie } = await person();
    const both = await Promise.all([refresh(cookie), refresh(cookie)]);
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
  });

  it('ends on signing out, its access token too', async () => {
    const { cookie, token } = await person();
    const { headers } = await server.call(undefined, rest.logout, { headers: { cookie } });
    expect(headers.getSetCookie()[0]).toContain('Max-Age=0');
    expect((await refresh(cookie)).status).toBe(401);
    expect((await server.call({ token }, rest.getMe)).status).toBe(401);
  });

  it('is over after two weeks without use, its access token after fifteen minutes', async () => {
    const { cookie, token } = await person();
    server.clock.advance(16 * 60_000);
    expect((await server.call({ token }, rest.getMe)).status).toBe(401);
    server.clock.advance(14 * 24 * 3_600_000);
    expect((await refresh(cookie)).status).toBe(401);
  });

  it('does not open with a token that is forged, unsigned or garbage', async () => {
    const { token } = await person();
    const [header, payload] = token.split('.');
    const none = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url');
    const bad = [`${header}.${payload}.AAAA`, `${none}.${payload}.`, 'garbage', ''];
    for (const one of bad) {
      expect((await server.call({ token: one }, rest.getMe)).status).toBe(401);
    }
  });
});

describe('a password', () => {
  it('is changed by its owner; other sessions end, this one stays', async () => {
    const { email, token } = await person();
    const elsewhere = await server.signIn(email, PASSWORD);
    const body = { currentPassword: PASSWORD, newPassword: 'another long password' };
    await server.ok({ token }, rest.changePassword, { body });
    await server.ok({ token }, rest.getMe);
    expect((await server.call({ token: elsewhere.token }, rest.getMe)).status).toBe(401);
    await server.signIn(email, body.newPassword);
  });

  it('is not changed without the present one', async () => {
    const { token } = await person();
    const body = { currentPassword: 'a wrong password', newPassword: 'another long password' };
    const { status, path } = await server.refused({ token }, rest.changePassword, { body });
    expect([status, path]).toEqual([422, 'currentPassword']);
  });
});

describe('who may not come in', () => {
  it('is a disabled user, at once and with every token', async () => {
    const { id, email, token, cookie } = await person();
    const params = { organisationId: tenant.organisationId, userId: id };
    await server.ok(admin, rest.disableUser, { params });
    expect((await server.call({ token }, rest.getMe)).status).toBe(401);
    expect((await refresh(cookie)).status).toBe(401);
    const login = { body: { email, password: PASSWORD } };
    expect((await server.refused(undefined, rest.login, login)).code).toBe('invalid_credentials');
    await server.ok(admin, rest.enableUser, { params });
    await server.signIn(email, PASSWORD);
  });

  it('is everybody of a suspended organisation, until it is resumed', async () => {
    const { token, email } = await person();
    const params = { organisationId: tenant.organisationId };
    await server.ok(root, rest.suspendOrganisation, { params });
    expect((await server.call({ token }, rest.getMe)).status).toBe(401);
    const login = { body: { email, password: PASSWORD } };
    expect((await server.refused(undefined, rest.login, login)).status).toBe(401);
    await server.ok(root, rest.resumeOrganisation, { params });
    await server.ok({ token }, rest.getMe);
  });
});
