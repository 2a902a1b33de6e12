import { rest } from '@tollgate/contracts';
import { readConfig, uuidv7 } from '@tollgate/kit';

import { AuditEvent } from '../../audit/audit-event.entity';
import { readSsoSettings, ssoShape } from '../../auth';
import { RefreshToken } from '../../auth/refresh-token.entity';
import { UserIdentity } from '../../auth/user-identity.entity';
import { User } from '../../entities/user.entity';
import {
  createTenant,
  startRest,
  TENANT_PASSWORD,
  type RestServer,
  type Tenant,
  type Who,
} from '../../rest/test-support';
import type { Database } from '../../schema';
import { startTestDatabases, type TestDatabases } from '../../test-support';

const ISSUER = 'https://id.example.com/tenant';
const FORMER = 'https://former.example.com/';

let databases: TestDatabases;
let database: Database;
let server: RestServer;
let tenant: Tenant;
let userId: string;
let own: { token: string; cookie: string };
let admin: Who;

beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.fresh();
  const env = { OIDC_ISSUER: ISSUER, OIDC_CLIENT_ID: 'tollgate', OIDC_CLIENT_SECRET: 'x' };
  const sso = readSsoSettings(readConfig('catalog', ssoShape, env));
  server = await startRest(database, { ...(sso && { sso }) });
  tenant = await createTenant(server, 'acme');
  admin = tenant.callers.ORG_ADMIN;
});
afterAll(async () => {
  await server.stop();
  await databases.stop();
});
beforeEach(async () => {
  const email = `${uuidv7()}@example.com`;
  const body = { email, name: 'Ada', role: 'USER' as const, password: TENANT_PASSWORD };
  ({ id: userId } = await server.ok(admin, rest.createUser, {
    params: { organisationId: tenant.organisationId },
    body,
  }));
  own = await server.signIn(email, TENANT_PASSWORD);
});

async function link(issuer = ISSUER): Promise<string> {
  const subject = uuidv7();
  await database.orm.manager.insert(UserIdentity, { issuer, subject, userId });
  const found = (await identities()).find((one) => one.subject === subject);
  if (found === undefined) throw new Error('the identity is not listed');
  return found.id;
}

const forgetPassword = () =>
  database.orm.manager.update(User, { id: userId }, { passwordHash: null });

const identities = async (): Promise<rest.UserIdentity[]> =>
  (await server.ok(own, rest.listOwnIdentities)).data;

const unlinkOwn = (identityId: string) =>
  server.call(own, rest.unlinkOwnIdentity, { params: { identityId } });

test('one’s own identity is listed and unlinked, and the trail says which it was', async () => {
  const id = await link();
  const [listed] = await identities();
  expect(listed).toMatchObject({ id, issuer: ISSUER, removable: true });
  expect((await unlinkOwn(id)).status).toBe(204);
  expect(await identities()).toEqual([]);
  expect((await unlinkOwn(id)).status).toBe(404);
  const [event] = await database.orm.manager.find(AuditEvent, {
    where: { action: 'user.unlink-identity', targetId: userId },
  });
  expect(event?.details).toMatchObject({
    before: { issuer: ISSUER, subject: listed?.subject },
  });
});

test('the only way to sign in stays, and the answer says what to do', async () => {
  const id = await link();
  const former = await link(FORMER);
  await forgetPassword();
  expect((await identities()).map(({ removable }) => removable)).toEqual([false, true]);
  const refused = await unlinkOwn(id);
  expect(refused.status).toBe(409);
  expect(JSON.stringify(refused.body)).toContain('password');
  const params = { organisationId: tenant.organisationId, userId, identityId: id };
  expect((await server.call(admin, rest.unlinkUserIdentity, { params })).status).toBe(409);
  expect((await unlinkOwn(former)).status).toBe(204);

  const { organisationId } = params;
  const body = { password: 'a long enough password' };
  await server.ok(admin, rest.setUserPassword, { params: { organisationId, userId }, body });
  expect((await server.call(admin, rest.unlinkUserIdentity, { params })).status).toBe(204);
});

test('an issuer is the same with a slash at its end', async () => {
  const id = await link(`${ISSUER}/`);
  await forgetPassword();
  expect((await identities()).map(({ removable }) => removable)).toEqual([false]);
  expect((await unlinkOwn(id)).status).toBe(409);
  // The second identity is a way in, so the first can be removed; another issuer path is none.
  const elsewhere = await link(`${ISSUER}/x`);
  expect((await unlinkOwn(elsewhere)).status).toBe(204);
  expect((await unlinkOwn(await link())).status).toBe(204);
  expect((await identities()).map((identity) => identity.id)).toEqual([id]);
});

test('of two at once that would leave nothing one is refused', async () => {
  // The same issuer in spellings that compare as equal.
  const ids = [await link(), await link('https://ID.example.com/tenant')];
  await forgetPassword();
  const answers = await Promise.all(ids.map(unlinkOwn));
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([204, 409]);
});

test('sessions begun by single sign-on end, those of the password stay', async () => {
  const id = await link();
  const params = { organisationId: tenant.organisationId, userId };
  const before = await server.ok(admin, rest.listUserSessions, { params });
  expect(before.data).toHaveLength(1);
  await database.orm.manager.insert(RefreshToken, {
    id: uuidv7(),
    userId,
    familyId: uuidv7(),
    method: 'SSO',
    tokenSha256: Buffer.alloc(32, 1),
    expiresAt: new Date(server.clock.now() + 60_000),
  });
  expect((await server.ok(admin, rest.listUserSessions, { params })).data).toHaveLength(2);
  await server.ok(admin, rest.unlinkUserIdentity, { params: { ...params, identityId: id } });
  expect((await server.ok(admin, rest.listUserSessions, { params })).data).toEqual(before.data);
});

test('an administrator reaches the users of the own organisation, and no super admin', async () => {
  const id = await link();
  const rival = await createTenant(server, 'rival');
  const params = { organisationId: tenant.organisationId, userId, identityId: id };
  expect(
    await server.refused(rival.callers.ORG_ADMIN, rest.unlinkUserIdentity, { params }),
  ).toMatchObject({
    status: 404,
  });
  const moved = { ...params, organisationId: rival.organisationId };
  expect(
    await server.refused(rival.callers.ORG_ADMIN, rest.unlinkUserIdentity, { params: moved }),
  ).toMatchObject({ status: 404 });
  const another = { ...params, userId: tenant.userIds.USER };
  expect(await server.refused(admin, rest.unlinkUserIdentity, { params: another })).toMatchObject({
    status: 404,
  });
  await database.orm.manager.update(User, { id: userId }, { role: 'SUPER_ADMIN' });
  expect(await server.refused(admin, rest.unlinkUserIdentity, { params })).toMatchObject({
    status: 403,
  });
  const platform = { userId, identityId: id };
  await server.ok(server.root, rest.unlinkPlatformUserIdentity, { params: platform });
});
