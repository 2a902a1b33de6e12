import { rest } from '@tollgate/contracts';
import {
  hashApiKey,
  openSecret,
  screeningSecretContext,
  type SealedSecret,
} from '@tollgate/contracts/node';
import type { z } from 'zod';

import { getScreeningPolicy } from '../../directory/get-screening-policy';
import { resolveKey } from '../../directory/resolve-key';
import {
  createTenant,
  startRest,
  TEST_KEY_RING,
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
let admin: Who;
let params: { organisationId: string };

beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.fresh();
  server = await startRest(database);
  tenant = await createTenant(server, 'acme');
  admin = tenant.callers.ORG_ADMIN;
  params = { organisationId: tenant.organisationId };
});
afterAll(async () => {
  await server.stop();
  await databases.stop();
});

type Create = z.input<typeof rest.screeningServiceCreate>;
let made = 0;
const bodyOf = (over: Partial<Create> = {}): Create => {
  made += 1;
  return {
    identifier: `service-${made}`,
    name: `Service ${made}`,
    url: 'https://checker.example.com/check',
    protocol: { type: 'TOLLGATE_HTTP' },
    ...over,
  };
};
const create = (over: Partial<Create> = {}) =>
  server.ok(admin, rest.createScreeningService, { params, body: bodyOf(over) });
const update = (id: string, body: z.input<typeof rest.screeningServicePatch>) =>
  server.ok(admin, rest.updateScreeningService, {
    params: { ...params, screeningServiceId: id },
    body,
  });
const refused = (body: Create) =>
  server.refused(admin, rest.createScreeningService, { params, body });

async function policyAsking(service: string): Promise<string> {
  const rule = { id: 'ask', kind: 'EXTERNAL' as const, service, where: ['INPUT' as const] };
  const body = {
    identifier: `asks-${service}`,
    name: 'Asks',
    rules: [{ ...rule, action: 'BLOCK' as const, onError: 'BLOCK' as const }],
  };
  const { id } = await server.ok(admin, rest.createScreeningPolicy, { params, body });
  return id;
}
const versionOf = async (screeningPolicyId: string): Promise<number> => {
  const at = { ...params, screeningPolicyId };
  const { version } = await server.ok(admin, rest.getScreeningPolicy, { params: at });
  return version;
};

test('a secret is sealed, previewed, and goes to edges with the policy that asks', async () => {
  const secret = 'service-secret-0123456789';
  const service = await create({ secret });
  expect(service).toMatchObject({ auth: { type: 'BEARER' }, secretPreview: expect.any(String) });
  expect(JSON.stringify(service)).not.toContain(secret);
  const policyId = await policyAsking(service.identifier);
  const policy = await getScreeningPolicy(database.pool, policyId, 1);
  const [told] = policy?.services ?? [];
  expect(told).toMatchObject({
    serviceId: service.id,
    identifier: service.identifier,
    url: service.url,
    auth: { type: 'BEARER' },
  });
  expect(policy?.services).toHaveLength(1);
  const sealed = told?.secret as SealedSecret;
  expect(openSecret(TEST_KEY_RING, sealed, screeningSecretContext(service.id))).toBe(secret);
});

test('a change that edges need gives the policies that ask a new version', async () => {
  const service = await create();
  const policyId = await policyAsking(service.identifier);
  expect(await versionOf(policyId)).toBe(1);
  await update(service.id, { name: 'Another name' });
  expect(await versionOf(policyId)).toBe(1);
  await update(service.id, { url: 'https://other.example.com/check' });
  expect(await versionOf(policyId)).toBe(2);
  expect(await getScreeningPolicy(database.pool, policyId, 2)).toMatchObject({
    services: [{ url: 'https://other.example.com/check' }],
  });
  const { rows } = await database.pool.query<{ kind: string }>(
    'SELECT kind FROM outbox_event ORDER BY seq DESC LIMIT 1',
  );
  expect(rows[0]?.kind).toBe('SCREENING_POLICY');
});

test('a rule asks a service that exists, and a service that is asked stays', async () => {
  const rule = { id: 'ask', kind: 'EXTERNAL' as const, where: ['INPUT' as const] };
  const reply = await server.refused(admin, rest.createScreeningPolicy, {
    params,
    body: {
      identifier: 'asks-nobody',
      name: 'x',
      rules: [{ ...rule, service: 'nobody', action: 'BLOCK', onError: 'BLOCK' }],
    },
  });
  expect(reply).toMatchObject({ status: 422, path: 'rules[0].service' });
  const service = await create();
  const screeningPolicyId = await policyAsking(service.identifier);
  const at = { ...params, screeningServiceId: service.id };
  const kept = await server.refused(admin, rest.deleteScreeningService, { params: at });
  expect(kept).toMatchObject({ status: 409 });
  await server.ok(admin, rest.deleteScreeningPolicy, { params: { ...params, screeningPolicyId } });
  await server.ok(admin, rest.deleteScreeningService, { params: at });
});

test('decisions know where the services of a policy are', async () => {
  const attachedTo = [{ scopeType: 'ORGANISATION' as const, scopeId: tenant.organisationId }];
  const places = async () => {
    const made = await server.ok(admin, rest.createApiKey, {
      params,
      body: { name: 'a key', type: 'ORGANISATION' as const },
    });
    const { context } = await resolveKey(database.pool, hashApiKey(made.key));
    return context?.screening?.map(({ services }) => services);
  };
  const near = await create({ region: 'eu' });
  expect(near.region).toBe('eu');
  const screeningPolicyId = await policyAsking(near.identifier);
  await server.ok(admin, rest.updateScreeningPolicy, {
    params: { ...params, screeningPolicyId },
    body: { attachedTo },
  });
  expect(await places()).toEqual([[{ identifier: near.identifier, region: 'eu' }]]);
  await update(near.id, { region: null });
  expect(await places()).toEqual([[{ identifier: near.identifier, region: '' }]]);
  await server.ok(admin, rest.deleteScreeningPolicy, { params: { ...params, screeningPolicyId } });
});

test('a key of the organisation that a service has is told to edges', async () => {
  const body = { name: 'judge', type: 'ORGANISATION' as const };
  const { id, key } = await server.ok(admin, rest.createApiKey, { params, body });
  const asked = await create();
  const policyId = await policyAsking(asked.identifier);
  // Another service has the key, so what that one's requests must not ask has changed too.
  await create({
    secret: key,
    url: 'https://gateway.example.com/v1',
    protocol: { type: 'CHAT_JUDGE', model: 'judge', instructions: 'Find lies.' },
  });
  expect(await versionOf(policyId)).toBe(2);
  expect(await getScreeningPolicy(database.pool, policyId, 2)).toMatchObject({
    serviceKeyIds: [id],
  });
});

test.each<[string, Partial<Create>, string]>([
  ['an address of a private network', { url: 'http://10.0.0.7/check' }, 'url'],
  [
    'a path over gRPC',
    { url: 'https://c.example.com/x', protocol: { type: 'TOLLGATE_GRPC' } },
    'url',
  ],
  ['a secret that nothing sends', { secret: 'abcdefgh', auth: { type: 'NONE' } }, 'auth.type'],
  ['a header without a secret', { auth: { type: 'BEARER' } }, 'secret'],
  [
    'a template without the secret',
    { secret: 'abcdefgh', auth: { type: 'HEADER', header: 'x-key', template: 'x' } },
    'auth.template',
  ],
  [
    'code in a region',
    { url: undefined, region: 'eu', protocol: { type: 'JAVASCRIPT', code: 'function check() {}' } },
    'region',
  ],
  [
    'a judge without instructions',
    { protocol: { type: 'CHAT_JUDGE', model: 'x' } as never },
    'protocol.instructions',
  ],
])('%s is refused, naming the field', async (_, over, path) => {
  expect(await refused(bodyOf(over))).toMatchObject({ status: 422, path });
});

test('a stored secret does not go to another host', async () => {
  const { id } = await create({ secret: 'service-secret-0123456789' });
  const at = { ...params, screeningServiceId: id };
  const reply = await server.refused(admin, rest.updateScreeningService, {
    params: at,
    body: { url: 'https://elsewhere.example.com/check' },
  });
  expect(reply).toMatchObject({ status: 422, path: 'url' });
  const after = await update(id, { url: 'https://elsewhere.example.com/check', secret: null });
  expect(after).toMatchObject({ auth: { type: 'NONE' }, secretPreview: null });
});

describe('code', () => {
  const CODE = 'function check() { return { verdict: "PASS" }; }';
  const codeBody = (code: string): Create => {
    const { url: _url, ...body } = bodyOf();
    return { ...body, protocol: { type: 'JAVASCRIPT', code } };
  };

  test('has no URL, and goes to edges as it is', async () => {
    const service = await server.ok(admin, rest.createScreeningService, {
      params,
      body: codeBody(CODE),
    });
    expect(service).toMatchObject({ url: null, auth: { type: 'NONE' } });
    const policyId = await policyAsking(service.identifier);
    const policy = await getScreeningPolicy(database.pool, policyId, 1);
    expect(policy?.services).toMatchObject([
      { url: '', protocolJson: expect.stringContaining('function check') as string },
    ]);
    const after = { type: 'JAVASCRIPT' as const, code: CODE.replace('PASS', 'BLOCK') };
    await update(service.id, { protocol: after });
    expect(await versionOf(policyId)).toBe(2);
  });

  test.each([
    ['that cannot be read', 'function check( {', /SyntaxError/],
    ['without the function', 'const a = 1;', /no function check/],
    ['that does not end', 'for (;;);', /too long/],
  ])('%s is refused with the reason', async (_, code, reason) => {
    const reply = await refused(codeBody(code));
    expect(reply).toMatchObject({ status: 422, path: 'protocol.code' });
    expect(JSON.stringify(reply)).toMatch(reason);
  });

  test('is run on a text, with what it says', async () => {
    const run = (code: string) =>
      server.ok(admin, rest.testScreeningCode, { params, body: { code, text: '🙂 bad' } });
    const code = `function check({ texts }) {
      console.log(texts[0].place);
      return { verdict: 'BLOCK', message: 'No.', findings: [{ textId: '0', start: 2, end: 5, label: 'word' }] };
    }`;
    expect(await run(code)).toMatchObject({
      error: null,
      verdict: 'BLOCK',
      message: 'No.',
      findings: [{ start: 3, end: 6, label: 'WORD' }],
      logs: ['INPUT'],
    });
    const chooses = await server.ok(admin, rest.testScreeningCode, {
      params,
      body: {
        code: `function check({ model, routeTo }) { return { verdict: 'PASS', model: model === 'large' ? routeTo[0] : '', tags: { project: 'blue' } }; }`,
        text: 'hi',
        model: 'large',
        routeTo: ['small'],
      },
    });
    expect(chooses).toMatchObject({ error: null, model: 'small', tags: { project: 'blue' } });
    expect(await run('function check() {\n null.x; }')).toMatchObject({
      error: expect.stringContaining('line 2') as string,
      verdict: null,
    });
    expect(await run('function check() { return 1; }')).toMatchObject({
      error: expect.stringContaining('fields of the protocol') as string,
    });
  });

  test('cannot become a service with a URL', async () => {
    const { id } = await create();
    const reply = await server.refused(admin, rest.updateScreeningService, {
      params: { ...params, screeningServiceId: id },
      body: { protocol: { type: 'JAVASCRIPT', code: CODE } },
    });
    expect(reply).toMatchObject({ status: 422, path: 'protocol.type' });
  });
});

test("a plugin asks a service of the gateway's own protocols", async () => {
  const protocol = { type: 'PRESIDIO' as const };
  const { identifier } = await create({ protocol });
  const rule = {
    id: 'plugin',
    kind: 'PLUGIN' as const,
    service: identifier,
    where: ['INPUT' as const],
    action: 'BLOCK' as const,
    onError: 'BLOCK' as const,
  };
  const body = { identifier: 'plugins', name: 'Plugins', rules: [rule] };
  const reply = await server.refused(admin, rest.createScreeningPolicy, { params, body });
  expect(reply).toMatchObject({ status: 422, path: 'rules[0].service' });
  const beside = { ...rule, wait: 'BESIDE' as const, mayChange: ['seed' as const] };
  const other = { ...body, rules: [beside] };
  expect(
    await server.refused(admin, rest.createScreeningPolicy, { params, body: other }),
  ).toMatchObject({ status: 422, path: 'rules[0].wait' });
});

test('an identifier is free once, and an organisation has a limit', async () => {
  const { identifier } = await create();
  expect(await refused(bodyOf({ identifier }))).toMatchObject({ status: 409, path: 'identifier' });
  const { data } = await server.ok(admin, rest.listScreeningServices, {
    params,
    query: { limit: 100 },
  });
  for (let n = data.length; n < rest.MAX_SCREENING_SERVICES; n += 1) await create();
  expect(await refused(bodyOf())).toMatchObject({ status: 409 });
});
