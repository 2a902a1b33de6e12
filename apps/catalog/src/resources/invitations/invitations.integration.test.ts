import { rest } from '@tollgate/contracts';

import {
  CONSOLE,
  createTenant,
  startRest,
  type RestServer,
  type Tenant,
  type Who,
} from '../../rest/test-support';
import type { Database } from '../../schema';
import { startTestDatabases, type TestDatabases } from '../../test-support';

let databases: TestDatabases;
let database: Database;
let server: RestServer;
let tenant: Tenant;
let rival: Tenant;
let admin: Who;
let guests = 0;

const PASSWORD = 'a long enough password';
const DAY_MS = 86_400_000;

beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.fresh();
  server = await startRest(database);
  tenant = await createTenant(server, 'acme');
  rival = await createTenant(server, 'rival');
});
// Other tests advance the clock, which expires sessions, so each test signs in anew.
beforeEach(async () => {
  admin = await server.signIn('org_admin@acme.example.com', PASSWORD);
});
afterAll(async () => {
  await server.stop();
  await databases.stop();
});

function guest(): string {
  return `guest${(guests += 1)}@example.com`;
}

async function invite(
  body: Partial<rest.InvitationCreate> = {},
): Promise<{ id: string; email: string; token: string }> {
  const email = guest();
  const made = await server.ok(admin, rest.createInvitation, { body: { email, ...body } });
  return { id: made.id, email, token: tokenIn(made.link) };
}

function tokenIn(link: string | null): string {
  const [, token] = (link ?? '').split(`${CONSOLE}/accept-invitation#token=`);
  return token ?? '';
}

const accept = (token: string) => ({ body: { token, name: 'A Guest', password: PASSWORD } });

describe('an invitation', () => {
  it('is shown as a link, looked up, accepted, and lets its guest sign in', async () => {
    const email = guest();
    const made = await server.ok(admin, rest.createInvitation, {
      body: { email: email.toUpperCase(), role: 'MANAGER', teamIds: [tenant.otherTeamId] },
    });
    expect(made).toMatchObject({ email, status: 'PENDING', mail: null });
    const token = tokenIn(made.link);
    expect(await server.ok(undefined, rest.lookUpInvitation, { body: { token } })).toEqual({
      email,
      role: 'MANAGER',
      organisationName: 'acme',
      expiresAt: made.expiresAt,
    });
    expect(await server.ok(undefined, rest.acceptInvitation, accept(token))).toEqual({ email });
    const me = await server.ok(await server.signIn(email, PASSWORD), rest.getMe);
    expect(me).toMatchObject({ name: 'A Guest', role: 'MANAGER' });
    expect(me.organisation?.id).toBe(tenant.organisationId);
    expect(me.managedTeamIds).toEqual([tenant.otherTeamId]);
    const params = { invitationId: made.id };
    expect((await server.ok(admin, rest.getInvitation, { params })).status).toBe('ACCEPTED');
  });

  it('is accepted once, even at the same moment', async () => {
    const { token } = await invite();
    const both = await Promise.all(
      [1, 2].map(() => server.call(undefined, rest.acceptInvitation, accept(token))),
    );
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 422]);
  });

  it('ends with its time, and is sent again with a new link', async () => {
    const { id, token } = await invite({ expiresInDays: 2 });
    server.clock.advance(2 * DAY_MS + 1000);
    admin = await server.signIn('org_admin@acme.example.com', PASSWORD);
    const late = await server.refused(undefined, rest.acceptInvitation, accept(token));
    expect([late.status, late.path]).toEqual([422, 'token']);
    const params = { invitationId: id };
    expect((await server.ok(admin, rest.getInvitation, { params })).status).toBe('EXPIRED');
    const again = await server.ok(admin, rest.resendInvitation, { params });
    expect(again.status).toBe('PENDING');
    expect((await server.refused(undefined, rest.acceptInvitation, accept(token))).status).toBe(
      422,
    );
    await server.ok(undefined, rest.acceptInvitation, accept(tokenIn(again.link)));
  });

  it('is taken back', async () => {
    const { id, token } = await invite();
    const params = { invitationId: id };
    expect((await server.ok(admin, rest.revokeInvitation, { params })).status).toBe('REVOKED');
    expect((await server.refused(undefined, rest.acceptInvitation, accept(token))).status).toBe(
      422,
    );
    const resent = await server.refused(admin, rest.resendInvitation, { params });
    expect(resent.status).toBe(409);
  });

  it('is open to nobody while the organisation is suspended', async () => {
    const { token } = await invite();
    const params = { organisationId: tenant.organisationId };
    const root = await server.signIn('root@example.com', 'correct horse battery');
    await server.ok(root, rest.suspendOrganisation, { params });
    expect((await server.refused(undefined, rest.acceptInvitation, accept(token))).status).toBe(
      422,
    );
    await server.ok(root, rest.resumeOrganisation, { params });
  });

  it('is worth as much as its inviter still is', async () => {
    const root = await server.signIn('root@example.com', 'correct horse battery');
    const second = guest();
    const { token: own } = await invite({ email: second, role: 'ORG_ADMIN' });
    await server.ok(undefined, rest.acceptInvitation, accept(own));
    const inviter = await server.signIn(second, PASSWORD);
    const { id: userId } = await server.ok(inviter, rest.getMe);
    const made = await server.ok(inviter, rest.createInvitation, {
      body: { email: guest(), role: 'ORG_ADMIN' },
    });
    const token = tokenIn(made.link);
    const statuses = async () => [
      (await server.call(undefined, rest.lookUpInvitation, { body: { token } })).status,
      (await server.call(undefined, rest.acceptInvitation, accept(token))).status,
    ];
    const set = (fields: string) =>
      database.pool.query(`UPDATE user_account SET ${fields} WHERE id = $1`, [userId]);
    await set(`role = 'USER'`);
    expect(await statuses()).toEqual([422, 422]);
    await set(`role = 'ORG_ADMIN', status = 'DISABLED'`);
    expect(await statuses()).toEqual([422, 422]);
    // The administrator who sends it again becomes the inviter.
    const params = { invitationId: made.id };
    const again = await server.ok(root, rest.resendInvitation, { params });
    await server.ok(undefined, rest.acceptInvitation, accept(tokenIn(again.link)));
  });

  it('exists once for an address: a second is refused, unless the first has expired', async () => {
    const { email } = await invite({ expiresInDays: 1 });
    const second = await server.refused(admin, rest.createInvitation, { body: { email } });
    expect([second.status, second.path]).toEqual([409, 'email']);
    server.clock.advance(DAY_MS + 1000);
    admin = await server.signIn('org_admin@acme.example.com', PASSWORD);
    await server.ok(admin, rest.createInvitation, { body: { email } });
  });

  it('is repeated under its idempotency key with the same link', async () => {
    const sent = { body: { email: guest() }, headers: { 'idempotency-key': 'invite-1' } };
    const first = await server.ok(admin, rest.createInvitation, sent);
    expect(await server.ok(admin, rest.createInvitation, sent)).toEqual(first);
  });

  it('leaves its token in no table, no log and no trail', async () => {
    const { token } = await invite();
    await server.ok(undefined, rest.acceptInvitation, accept(token));
    const { rows } = await database.pool.query('SELECT * FROM organisation_invitation');
    const { rows: trail } = await database.pool.query('SELECT details FROM audit_event');
    expect(JSON.stringify([rows, trail, server.logs])).not.toContain(token);
  });

  it('writes each step down', async () => {
    const { id, token } = await invite();
    await server.ok(undefined, rest.acceptInvitation, accept(token));
    const { data } = await server.ok(admin, rest.listAuditEvents, {
      params: { organisationId: tenant.organisationId },
      query: { targetId: id },
    });
    expect(data.map(({ action }) => action).toSorted()).toEqual([
      'invitation.accept',
      'invitation.create',
    ]);
  });
});

describe('what is refused', () => {
  it.each([
    [{ email: 'no address' }, 'email'],
    [{ email: 'a@example.com', role: 'SUPER_ADMIN' }, 'role'],
    [{ email: 'a@example.com', teamIds: ['019aa000-0000-7000-8000-000000000000'] }, 'teamIds[0]'],
    [{ email: 'a@example.com', expiresInDays: 31 }, 'expiresInDays'],
  ])('%j names %s', async (body, path) => {
    const refused = await server.refused(admin, rest.createInvitation, {
      body: body as rest.InvitationCreate,
    });
    expect([refused.status, refused.path]).toEqual([422, path]);
  });

  it('is a member, and a team of another organisation', async () => {
    const member = { body: { email: 'user@acme.example.com' } };
    const twice = await server.refused(admin, rest.createInvitation, member);
    expect([twice.status, twice.path]).toEqual([409, 'email']);
    const foreign = { body: { email: guest(), teamIds: [rival.teamId] } };
    expect((await server.refused(admin, rest.createInvitation, foreign)).path).toBe('teamIds[0]');
  });

  it("is another organisation's invitation, which the platform may see", async () => {
    const root = await server.signIn('root@example.com', 'correct horse battery');
    const nameless = await server.refused(root, rest.createInvitation, {
      body: { email: guest() },
    });
    expect(nameless.path).toBe('organisationId');
    const made = await server.ok(root, rest.createInvitation, {
      body: { email: guest(), organisationId: rival.organisationId },
    });
    const params = { invitationId: made.id };
    expect((await server.refused(admin, rest.getInvitation, { params })).status).toBe(404);
    const query = { organisationId: rival.organisationId };
    expect((await server.refused(admin, rest.listInvitations, { query })).status).toBe(404);
    expect((await server.ok(root, rest.listInvitations, { query })).data).toHaveLength(1);
  });

  it('is a token that is none, until guessing is slowed down', async () => {
    const guess = { body: { token: 'A'.repeat(43) } };
    const statuses: number[] = [];
    for (let n = 0; n < 31; n += 1) {
      statuses.push((await server.refused(undefined, rest.lookUpInvitation, guess)).status);
    }
    expect(new Set(statuses.slice(0, 20))).toEqual(new Set([422]));
    expect(statuses.at(-1)).toBe(429);
    server.clock.advance(3_700_000);
  });
});

it('lists by page, status and address', async () => {
  const mine = await Promise.all([1, 2, 3].map(() => invite()));
  const first = await server.ok(admin, rest.listInvitations, {
    query: { limit: 2, status: 'PENDING' },
  });
  expect(first.data).toHaveLength(2);
  const second = await server.ok(admin, rest.listInvitations, {
    query: { limit: 2, status: 'PENDING', cursor: first.nextCursor ?? '' },
  });
  const ids = [...first.data, ...second.data].map(({ id }) => id);
  for (const { id } of mine) expect(ids).toContain(id);
  const found = await server.ok(admin, rest.listInvitations, {
    query: { search: mine[0]?.email ?? '' },
  });
  expect(found.data.map(({ id }) => id)).toEqual([mine[0]?.id]);
});
