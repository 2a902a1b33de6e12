import { hash } from '@node-rs/argon2';
import { rest } from '@tollgate/contracts';

import {
  ADMIN,
  createTenant,
  startRest,
  TENANT_PASSWORD,
  type RestServer,
  type Tenant,
} from '../rest/test-support';
import type { Database } from '../schema';
import { startTestDatabases, until, type TestDatabases } from '../test-support';
import { createPasswords, isOutdated } from './passwords';
import { endSessions, liveSessions, refreshSession } from './sessions';

let databases: TestDatabases;
let database: Database;
let server: RestServer;
let tenant: Tenant;
let rival: Tenant;

const EMAIL = 'user@acme.example.com';

beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.fresh();
  server = await startRest(database);
  tenant = await createTenant(server, 'acme');
  rival = await createTenant(server, 'rival');
});
afterAll(async () => {
  await server.stop();
  await databases.stop();
});

async function signInWith(userAgent: string): Promise<{ token: string }> {
  const { body } = await server.call(undefined, rest.login, {
    headers: { 'user-agent': userAgent },
    body: { email: EMAIL, password: TENANT_PASSWORD },
  });
  return { token: body.accessToken };
}

const worksStill = async (who: { token: string }): Promise<boolean> =>
  (await server.call(who, rest.getMe)).status === 200;

describe('the list of sessions', () => {
  it('tells where one is signed in, and which session is this one', async () => {
    await signInWith('Laptop/1.0');
    const phone = await signInWith('Phone/2.0');
    const { data } = await server.ok(phone, rest.listOwnSessions);
    expect(data[0]).toMatchObject({ method: 'PASSWORD', userAgent: 'Phone/2.0', current: true });
    expect(data[0]?.remoteAddress).toContain('127.0.0.1');
    expect(data.find(({ userAgent }) => userAgent === 'Laptop/1.0')?.current).toBe(false);
    expect(data.filter(({ current }) => current)).toHaveLength(1);
  });

  it('keeps the begin of a session over its refreshes, and moves when it was last seen', async () => {
    const { cookie } = await server.signIn(EMAIL, TENANT_PASSWORD);
    server.clock.advance(60_000);
    const { body } = await server.call(undefined, rest.refresh, { headers: { cookie } });
    const { data } = await server.ok({ token: body.accessToken }, rest.listOwnSessions);
    const own = data.find(({ current }) => current);
    const span = Date.parse(own?.lastSeenAt ?? '') - Date.parse(own?.createdAt ?? '');
    expect(span).toBeGreaterThanOrEqual(60_000);
  });

  it('has at most fifty: one more sign-in ends the oldest', async () => {
    const first = await signInWith('first');
    for (let n = 0; n < 50; n += 1) await signInWith(`n ${n}`);
    const last = await signInWith('last');
    expect((await server.ok(last, rest.listOwnSessions)).data).toHaveLength(50);
    expect(await worksStill(first)).toBe(false);
  });
});

describe('signing out elsewhere', () => {
  it('ends one session, and no other', async () => {
    const [here, there] = [await signInWith('here'), await signInWith('there')];
    const { data } = await server.ok(here, rest.listOwnSessions);
    const sessionId = data.find(({ userAgent }) => userAgent === 'there')?.id ?? '';
    await server.ok(here, rest.endOwnSession, { params: { sessionId } });
    expect(await worksStill(there)).toBe(false);
    expect(await worksStill(here)).toBe(true);
    const again = await server.refused(here, rest.endOwnSession, { params: { sessionId } });
    expect(again.status).toBe(404);
  });

  it("does not reach somebody else's session", async () => {
    const mine = await signInWith('mine');
    const { data } = await server.ok(mine, rest.listOwnSessions);
    const params = { sessionId: data.find(({ current }) => current)?.id ?? '' };
    const other = tenant.callers.MANAGER;
    expect((await server.refused(other, rest.endOwnSession, { params })).status).toBe(404);
    expect(await worksStill(mine)).toBe(true);
  });

  it('ends all others at once', async () => {
    const [here, there] = [await signInWith('here'), await signInWith('there')];
    await server.ok(here, rest.endOtherSessions);
    expect(await worksStill(there)).toBe(false);
    expect(await worksStill(here)).toBe(true);
  });
});

describe('an administrator', () => {
  const params = () => ({ organisationId: tenant.organisationId, userId: tenant.userIds.USER });

  it("sees and ends a user's sessions, and it is written down", async () => {
    const admin = tenant.callers.ORG_ADMIN;
    const [one, two] = [await signInWith('one'), await signInWith('two')];
    const { data } = await server.ok(admin, rest.listUserSessions, { params: params() });
    expect(data.every(({ current }) => !current)).toBe(true);
    const sessionId = data.find(({ userAgent }) => userAgent === 'one')?.id ?? '';
    await server.ok(admin, rest.endUserSession, { params: { ...params(), sessionId } });
    expect([await worksStill(one), await worksStill(two)]).toEqual([false, true]);
    await server.ok(admin, rest.endUserSessions, { params: params() });
    expect(await worksStill(two)).toBe(false);
    const trail = await server.ok(admin, rest.listAuditEvents, {
      params: { organisationId: tenant.organisationId },
      query: { action: 'session.revoke' },
    });
    expect(trail.data.some(({ target }) => target.id === sessionId)).toBe(true);
  });

  it("does not reach another organisation's user, the platform's does", async () => {
    const foreign = { organisationId: tenant.organisationId, userId: rival.userIds.USER };
    const asked = await server.refused(tenant.callers.ORG_ADMIN, rest.endUserSessions, {
      params: foreign,
    });
    expect(asked.status).toBe(404);
    const userId = rival.userIds.USER;
    await server.ok(server.root, rest.endPlatformUserSessions, { params: { userId } });
    const { data } = await server.ok(server.root, rest.listPlatformUserSessions, {
      params: { userId },
    });
    expect(data).toEqual([]);
  });
});

it('what ends all sessions ends one that is being refreshed', async () => {
  const email = 'manager@acme.example.com';
  const { cookie } = await server.signIn(email, TENANT_PASSWORD);
  const userId = tenant.userIds.MANAGER;
  let ending: Promise<void> | undefined;
  await database.orm.transaction(async (tx) => {
    const refreshed = await refreshSession(tx, cookie.split('=')[1] ?? '', server.clock.now());
    expect(refreshed.ok).toBe(true);
    ending = database.orm.transaction((other) =>
      endSessions(other, { userId }, server.clock.now()),
    );
    await until(async () => {
      const { rowCount } = await database.pool.query(
        `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
      );
      return rowCount === 1;
    });
  });
  await ending;
  expect(await liveSessions(database.orm.manager, userId, server.clock.now())).toEqual([]);
});

it.each([
  ['another password', `password_hash = 'another'`],
  ['no right to it', `status = 'DISABLED'`],
])('a sign-in is refused when the account has %s by the time it opens', async (_what, change) => {
  const own = await databases.fresh();
  let verified = (): Promise<unknown> => Promise.resolve();
  const hooked = await startRest(own, {
    passwords: {
      hash: (password) => Promise.resolve(`plain:${password}`),
      async verify(stored, password) {
        await verified();
        return stored === `plain:${password}`;
      },
    },
  });
  const sessions = async () => (await own.pool.query('SELECT FROM refresh_token')).rowCount;
  const before = await sessions();
  verified = () => own.pool.query(`UPDATE user_account SET ${change}`);
  const refused = await hooked.refused(undefined, rest.login, { body: ADMIN });
  const after = await sessions();
  await hooked.stop();
  expect([refused.status, refused.code, after]).toEqual([401, 'invalid_credentials', before]);
});

it('a hash made with less than is asked for today is made anew at the next sign-in', async () => {
  const own = await databases.fresh();
  const real = await startRest(own, { passwords: createPasswords() });
  const weak = await hash(ADMIN.password, { memoryCost: 4096, timeCost: 1, parallelism: 1 });
  const stored = async (): Promise<string> => {
    const { rows } = await own.pool.query<{ hash: string }>(
      'SELECT password_hash AS hash FROM user_account',
    );
    return rows[0]?.hash ?? '';
  };
  await own.pool.query('UPDATE user_account SET password_hash = $1', [weak]);
  await real.signIn(ADMIN.email, ADMIN.password);
  expect(await stored()).toContain('$m=19456,t=2,');
  await real.signIn(ADMIN.email, ADMIN.password);
  await real.stop();
});

it('knows an outdated hash from one of today', async () => {
  const weak = await hash('a password', { memoryCost: 4096, timeCost: 1, parallelism: 1 });
  expect(isOutdated(weak)).toBe(true);
  expect(isOutdated(await createPasswords().hash('a password'))).toBe(false);
});
