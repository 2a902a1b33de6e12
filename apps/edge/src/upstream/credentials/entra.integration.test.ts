// Azure OpenAI with tokens of Entra: a client's secret, the pod's token, and a managed identity.

import {
  ENTRA_SECRET,
  startClouds,
  SUBJECT_TOKEN,
  type CloudHarness,
} from '../../test-support/clouds';
import { chat, errorOf } from '../../test-support/harness';

const environments = (simulator: string, folder: string) => ({
  AZURE_AUTHORITY_HOST: `${simulator}/_cloud/entra/`,
  AZURE_POD_IDENTITY_AUTHORITY_HOST: simulator,
  AZURE_TENANT_ID: 'tenant-1',
  AZURE_CLIENT_ID: 'client-1',
  AZURE_FEDERATED_TOKEN_FILE: `${folder}/azure-token`,
});

let h: CloudHarness;
let machine: CloudHarness;
beforeAll(async () => {
  h = await startClouds(environments);
  machine = await startClouds((...where) => ({
    ...environments(...where),
    AZURE_FEDERATED_TOKEN_FILE: '',
  }));
});
beforeEach(() => h.reset());
afterAll(() => Promise.all([h.stop(), machine.stop()]));

let clients = 0;

/** For each test another tenant, whose token no test has. */
function clientSecret(secret = ENTRA_SECRET): string {
  clients += 1;
  return JSON.stringify({
    type: 'entra_client_secret',
    tenantId: `tenant-${clients}`,
    clientId: 'client-1',
    clientSecret: secret,
    authorityHost: `${h.simulator.url}/_cloud/entra`,
  });
}

function azure(on: CloudHarness, secret: string) {
  return on.serve({
    providerType: 'PROVIDER_F',
    upstreamFormat: 'openai',
    baseUrl: on.simulator.url,
    apiVersion: '2025-01-01',
    secret,
  });
}

test('a client with a secret answers whole and as a stream, with one token', async () => {
  azure(h, clientSecret());
  expect(await (await h.post('/v1/chat/completions', chat())).json()).toMatchObject({
    choices: [{ message: { content: 'You said: Hi' } }],
  });
  const stream = await h.post('/v1/chat/completions', chat({ stream: true }));
  expect(await stream.text()).toContain('data: [DONE]');
  expect(await h.counts()).toMatchObject({ issued: { entra: 1 }, accepted: 2, rejected: 0 });
});

test('a key is still sent as a key', async () => {
  azure(h, 'azure-key-0123456789');
  expect((await h.post('/v1/chat/completions', chat())).status).toBe(200);
  expect(await h.counts()).toMatchObject({ issued: {}, accepted: 0 });
});

test('a token that has ended is replaced, for a hundred requests at once by one', async () => {
  await h.put({ lifetimeS: 3_600 });
  azure(h, clientSecret());
  const all = () =>
    Promise.all(Array.from({ length: 100 }, () => h.post('/v1/chat/completions', chat())));
  for (const issued of [1, 2]) {
    const statuses = (await all()).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect((await h.counts()).issued).toEqual({ entra: issued });
    await h.expire();
  }
});

test('a refused client is the failure of the provider; its secret is in no log and no record', async () => {
  azure(h, clientSecret('wrong~secret-0123456789'));
  const refused = await h.post('/v1/chat/completions', chat());
  expect(refused.status).toBe(502);
  expect(await errorOf(refused)).toMatchObject({ code: 'provider_auth_failed' });
  const settled = await h.settled();
  expect(settled.attempts).toMatchObject([
    {
      outcome: 'HTTP_401',
      message: expect.stringContaining('status 401 (invalid_client)') as string,
    },
  ]);
  expect(h.log.join('') + JSON.stringify(settled)).not.toContain('wrong~secret');
});

test("the token of the pod's file is exchanged, as it is when the exchange is due", async () => {
  h.write('azure-token', `${SUBJECT_TOKEN}\n`);
  azure(h, '{"type":"ambient"}');
  const ask = () => h.post('/v1/chat/completions', chat());
  expect((await ask()).status).toBe(200);
  await h.put({ subjectTokens: ['rotated'] });
  h.write('azure-token', 'rotated');
  // The token in use is still valid, so the file is not needed yet.
  expect((await ask()).status).toBe(200);
  expect((await h.counts()).issued).toEqual({ entra: 1 });
  await h.expire();
  expect((await ask()).status).toBe(200);
  expect(await h.counts()).toMatchObject({ issued: { entra: 2 }, refused: {} });
});

test('the managed identity of a machine', async () => {
  azure(machine, '{"type":"ambient"}');
  expect((await machine.post('/v1/chat/completions', chat())).status).toBe(200);
  expect(await machine.counts()).toMatchObject({ issued: { 'azure-metadata': 1 }, accepted: 1 });
});
