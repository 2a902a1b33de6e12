import { rest } from '@tollgate/contracts';

import { openContent } from '../mail/outbox';
import {
  CONSOLE,
  createTenant,
  startRest,
  TENANT_PASSWORD,
  TEST_KEY_RING,
  type RestServer,
  type Tenant,
} from '../rest/test-support';
import type { Database } from '../schema';
import { startTestDatabases, type TestDatabases } from '../test-support';

let databases: TestDatabases;
let database: Database;
let server: RestServer;
/** The same installation without a mail server. */
let mailless: RestServer;
let tenant: Tenant;

const NEW_PASSWORD = 'a new long password';

beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.fresh();
  server = await startRest(database, { mail: true });
  mailless = await startRest(database);
  tenant = await createTenant(server, 'acme');
});
beforeEach(async () => {
  await database.pool.query('DELETE FROM mail_outbox');
  await database.pool.query('DELETE FROM sign_in_throttle');
});
afterAll(async () => {
  await server.stop();
  await mailless.stop();
  await databases.stop();
});

interface Waiting {
  id: string;
  kind: 'PASSWORD_RESET';
  recipient: string;
  sealed: unknown;
}

async function letters(): Promise<Waiting[]> {
  const { rows } = await database.pool.query<Waiting>('SELECT * FROM mail_outbox ORDER BY id');
  return rows;
}

async function tokenByMail(email: string): Promise<string> {
  await server.ok(undefined, rest.requestPasswordReset, { body: { email } });
  const letter = (await letters()).at(-1);
  if (letter === undefined) throw new Error('no letter was written');
  expect(letter.recipient).toBe(email);
  return tokenIn(openContent(TEST_KEY_RING, letter).link);
}

function tokenIn(link: string | null): string {
  const [, token] = (link ?? '').split(`${CONSOLE}/reset-password#token=`);
  return token ?? '';
}

const confirm = (token: string) => ({ body: { token, newPassword: NEW_PASSWORD } });

describe('a forgotten password', () => {
  it('is replaced by who gets the mail; every session ends', async () => {
    const email = 'user@acme.example.com';
    const before = await server.signIn(email, TENANT_PASSWORD);
    const token = await tokenByMail(email);
    await server.ok(undefined, rest.confirmPasswordReset, confirm(token));
    expect((await server.call({ token: before.token }, rest.getMe)).status).toBe(401);
    await server.signIn(email, NEW_PASSWORD);
  });

  it('has a link that works once', async () => {
    const token = await tokenByMail('user@acme.example.com');
    await server.ok(undefined, rest.confirmPasswordReset, confirm(token));
    const again = await server.refused(undefined, rest.confirmPasswordReset, confirm(token));
    expect([again.status, again.path]).toEqual([422, 'token']);
  });

  it('has a link that works once even when it comes twice at the same moment', async () => {
    const token = await tokenByMail('user@acme.example.com');
    const both = await Promise.all(
      [1, 2].map(() => server.call(undefined, rest.confirmPasswordReset, confirm(token))),
    );
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([204, 422]);
  });

  it('has a link that ends after an hour, and with the next one', async () => {
    const email = 'user@acme.example.com';
    const first = await tokenByMail(email);
    const second = await tokenByMail(email);
    expect(
      (await server.refused(undefined, rest.confirmPasswordReset, confirm(first))).status,
    ).toBe(422);
    server.clock.advance(61 * 60_000);
    expect(
      (await server.refused(undefined, rest.confirmPasswordReset, confirm(second))).status,
    ).toBe(422);
  });

  it('is answered alike for an address that nobody has, and writes nobody', async () => {
    const unknown = await server.call(undefined, rest.requestPasswordReset, {
      body: { email: 'nobody@acme.example.com' },
    });
    const known = await server.call(undefined, rest.requestPasswordReset, {
      body: { email: 'user@acme.example.com' },
    });
    expect([unknown.status, unknown.body]).toEqual([known.status, known.body]);
    expect((await letters()).map(({ recipient }) => recipient)).toEqual(['user@acme.example.com']);
  });

  it.each(['user@acme.example.com', 'nobody@acme.example.com'])(
    'is asked for only so often for %s, whether or not it is an account',
    async (email) => {
      const asked: number[] = [];
      for (let n = 0; n < 4; n += 1) {
        asked.push(
          (await server.call(undefined, rest.requestPasswordReset, { body: { email } })).status,
        );
      }
      expect(asked).toEqual([204, 204, 204, 429]);
    },
  );

  it('keeps no link that could be read: not in a table, not in a log', async () => {
    const token = await tokenByMail('user@acme.example.com');
    const { rows } = await database.pool.query(
      'SELECT m.*, r.* FROM mail_outbox m, password_reset r',
    );
    const { rows: trail } = await database.pool.query('SELECT details FROM audit_event');
    expect(JSON.stringify([rows, trail, server.logs])).not.toContain(token);
  });

  it('names the field that is wrong', async () => {
    const body = { token: 'x'.repeat(43), newPassword: 'short' };
    const { status, path } = await server.refused(undefined, rest.confirmPasswordReset, { body });
    expect([status, path]).toEqual([422, 'newPassword']);
  });
});

describe('an open link ends', () => {
  const email = 'manager@acme.example.com';
  const params = () => ({ organisationId: tenant.organisationId, userId: tenant.userIds.MANAGER });
  const refusedStatus = async (token: string): Promise<number> =>
    (await server.call(undefined, rest.confirmPasswordReset, confirm(token))).status;

  it('when the user changes the password', async () => {
    const who = await server.signIn(email, TENANT_PASSWORD);
    const token = await tokenByMail(email);
    const body = { currentPassword: TENANT_PASSWORD, newPassword: TENANT_PASSWORD };
    await server.ok(who, rest.changePassword, { body });
    expect(await refusedStatus(token)).toBe(422);
  });

  it('when an administrator sets one, and when the account is disabled', async () => {
    const admin = await server.signIn('org_admin@acme.example.com', TENANT_PASSWORD);
    const set = await tokenByMail(email);
    await server.ok(admin, rest.setUserPassword, {
      params: params(),
      body: { password: TENANT_PASSWORD },
    });
    expect(await refusedStatus(set)).toBe(422);
    const disabled = await tokenByMail(email);
    await server.ok(admin, rest.disableUser, { params: params() });
    await server.ok(admin, rest.enableUser, { params: params() });
    expect(await refusedStatus(disabled)).toBe(422);
  });
});

describe("an administrator's link", () => {
  const params = () => ({ organisationId: tenant.organisationId, userId: tenant.userIds.MANAGER });

  it('is shown when no mail can be sent, and sets a password', async () => {
    const { ORG_ADMIN } = tenant.callers;
    const made = await mailless.ok(ORG_ADMIN, rest.createUserResetLink, { params: params() });
    await mailless.ok(undefined, rest.confirmPasswordReset, confirm(tokenIn(made.link)));
    await mailless.signIn('manager@acme.example.com', NEW_PASSWORD);
    expect(await letters()).toEqual([]);
  });

  it('is mailed, and not shown, when mail can be sent', async () => {
    const admin = await server.signIn('org_admin@acme.example.com', TENANT_PASSWORD);
    const made = await server.ok(admin, rest.createUserResetLink, { params: params() });
    expect(made.link).toBeNull();
    expect((await letters()).map(({ recipient }) => recipient)).toEqual([
      'manager@acme.example.com',
    ]);
  });

  it('is not made for who stands above', async () => {
    const admin = await server.signIn('org_admin@acme.example.com', TENANT_PASSWORD);
    const made = await server.refused(admin, rest.createPlatformUserResetLink, {
      params: { userId: tenant.userIds.MANAGER },
    });
    expect(made.status).toBe(403);
  });
});

it('what one may sign in with is told, mail among it', async () => {
  expect(await server.ok(undefined, rest.getSignInMethods)).toEqual({
    password: true,
    passwordReset: true,
    sso: null,
  });
  expect((await mailless.ok(undefined, rest.getSignInMethods)).passwordReset).toBe(false);
});
