import axios, { type AxiosResponse } from 'axios';

import { expectStatus, newTenant, sharedGateway, type SharedGateway, type Tenant } from '.';

// The built console shows the refusal texts of catalog and of the gateway. A bundle may contain
// several copies of a class, so only the built console can show this.

let gateway: SharedGateway;
let tenant: Tenant;

beforeAll(async () => {
  gateway = await sharedGateway();
  tenant = await newTenant(gateway);
});

/** The cookies of a console session. */
async function signIn(email: string, password: string): Promise<string> {
  const { adminUrl } = gateway;
  const answer = expectStatus(
    await axios.post(
      `${adminUrl}/api/auth/login`,
      { email, password },
      { headers: { origin: adminUrl }, validateStatus: () => true },
    ),
    204,
  );
  const cookies = answer.headers['set-cookie'] ?? [];
  return cookies.map((cookie) => cookie.split(';')[0]).join('; ');
}

function asAdmin(): Promise<string> {
  return signIn(gateway.superAdmin.email, gateway.superAdmin.password);
}

function chat(organisationId: string, cookie: string): Promise<AxiosResponse> {
  const { adminUrl } = gateway;
  return axios.post(
    `${adminUrl}/api/organisations/${organisationId}/playground/chat`,
    { model: 'chat', messages: [{ role: 'user', content: 'Hello' }] },
    { headers: { origin: adminUrl, cookie }, validateStatus: () => true, timeout: 60_000 },
  );
}

const NOBODYS = '01a200b7-30ab-7031-b144-0a2f9f4d5a00';

test('an organisation that does not exist is the catalog’s 404', async () => {
  const { status, data } = await chat(NOBODYS, await asAdmin());
  expect({ status, data }).toMatchObject({ status: 404, data: { error: { code: 'not_found' } } });
});

test('a session that the catalog rejects is its 401', async () => {
  const cookie = (await asAdmin()).replace(/(_access=)[^;]+/, '$1not.a.token');
  const { status, data } = await chat(tenant.id, cookie);
  expect({ status, data }).toMatchObject({
    status: 401,
    data: { error: { code: 'unauthenticated' } },
  });
});

test('a member of another organisation is refused by the catalog', async () => {
  const other = await newTenant(gateway);
  const password = 'correct horse battery staple';
  const email = `${other.slug}@example.com`;
  await other.create('users', { email, name: 'Ada', role: 'USER', password });
  const { status, data } = await chat(tenant.id, await signIn(email, password));
  expect([403, 404]).toContain(status);
  expect(data).toMatchObject({ error: { code: expect.stringMatching(/forbidden|not_found/) } });
});

test('an exceeded budget is the gateway’s 402', async () => {
  await tenant.create('budgets', {
    scope: { type: 'ORGANISATION', id: tenant.id },
    period: 'DAILY',
    limitUsd: '0.000001',
  });
  const { status, data } = await chat(tenant.id, await asAdmin());
  expect({ status, data: JSON.stringify(data) }).toMatchObject({
    status: 402,
    data: expect.stringContaining('budget_exceeded'),
  });
});
