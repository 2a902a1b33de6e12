import { rest } from '@tollgate/contracts';
import { hashApiKey } from '@tollgate/contracts/node';
import type { z } from 'zod';

import { getMcpSignIn } from '../../directory/get-mcp-sign-in';
import {
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
let params: { organisationId: string };

beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.fresh();
  server = await startRest(database);
  tenant = await createTenant(server, 'acme');
  rival = await createTenant(server, 'rival');
  admin = tenant.callers.ORG_ADMIN;
  params = { organisationId: tenant.organisationId };
});
afterAll(async () => {
  await server.stop();
  await databases.stop();
});
afterEach(() => server.ok(admin, rest.deleteMcpSignIn, { params }));

type Put = z.input<typeof rest.mcpSignInPut>;
const BODY: Put = { issuer: 'https://id.acme.example/realms/acme', rules: [] };
const set = (body: Put) => server.ok(admin, rest.setMcpSignIn, { params, body });
const refused = (body: object) =>
  server.refused(admin, rest.setMcpSignIn, { params, body: body as never });

async function newKey(who: Tenant = tenant): Promise<{ id: string; key: string }> {
  const at = { organisationId: who.organisationId };
  const body = { name: 'web clients', type: 'ORGANISATION' as const };
  return server.ok(who.callers.ORG_ADMIN, rest.createApiKey, { params: at, body });
}

test('nothing is accepted until an administrator says so, and after it is deleted', async () => {
  const nothing = { issuer: null, audiences: [], scopes: [], rules: [], updatedAt: null };
  expect(await server.ok(admin, rest.getMcpSignIn, { params })).toEqual(nothing);
  expect(await getMcpSignIn(database.pool, 'acme')).toBeUndefined();
  expect(await set(BODY)).toMatchObject({ ...BODY, audiences: [], scopes: [] });
  expect(await getMcpSignIn(database.pool, 'acme')).toMatchObject({ issuer: BODY.issuer });
  await server.ok(admin, rest.deleteMcpSignIn, { params });
  expect(await server.ok(admin, rest.getMcpSignIn, { params })).toEqual(nothing);
});

test('the edge gets the hashes of the keys, in the order of the rules', async () => {
  const [one, two] = [await newKey(), await newKey()];
  await set({
    ...BODY,
    scopes: ['mcp'],
    rules: [
      { claim: 'groups', value: 'tools', apiKeyId: two.id },
      { value: '*', apiKeyId: one.id },
    ],
  });
  expect(await getMcpSignIn(database.pool, 'acme')).toMatchObject({
    organisationId: tenant.organisationId,
    scopes: ['mcp'],
    rules: [
      { claim: 'groups', value: 'tools', keySha256: hashApiKey(two.key) },
      { claim: 'sub', value: '*', keySha256: hashApiKey(one.key) },
    ],
  });
});

test('a key that was revoked keeps its rule, but a new rule needs an active one', async () => {
  const { id } = await newKey();
  const body = { ...BODY, rules: [{ value: 'ana', apiKeyId: id }] };
  await set(body);
  await server.ok(admin, rest.revokeApiKey, { params: { ...params, apiKeyId: id } });
  await set({ ...body, scopes: ['mcp'] });
  await set(BODY);
  expect(await refused(body)).toMatchObject({ status: 422, path: 'rules[0].apiKeyId' });
});

test('a key of another organisation is refused like one that nobody has', async () => {
  const { id } = await newKey(rival);
  const body = { ...BODY, rules: [{ value: '*', apiKeyId: id }] };
  expect(await refused(body)).toMatchObject({ path: 'rules[0].apiKeyId' });
});

test.each([
  ['http on another host than this one', 'http://id.example'],
  ['a query', 'https://id.example/?tenant=1'],
  ['another scheme', 'ftp://id.example'],
])('an issuer with %s is refused', async (_, issuer) => {
  expect(await refused({ ...BODY, issuer })).toMatchObject({ path: 'issuer' });
});

test('a suspended organisation accepts nothing', async () => {
  await set(BODY);
  await server.ok(server.root, rest.suspendOrganisation, { params });
  expect(await getMcpSignIn(database.pool, 'acme')).toBeUndefined();
  await server.ok(server.root, rest.resumeOrganisation, { params });
  expect(await getMcpSignIn(database.pool, 'acme')).toBeDefined();
});

test('a change is in the audit trail', async () => {
  await set(BODY);
  const { data } = await server.ok(admin, rest.listAuditEvents, {
    params,
    query: { action: 'mcp-sign-in.create' },
  });
  expect(data[0]).toMatchObject({ target: { type: 'mcp-sign-in' } });
});
