import type { rest } from '@tollgate/contracts';
import axios from 'axios';

import { chat, eventually, newTenant, sharedGateway, type SharedGateway, type Tenant } from '.';

// Standing grants of keys, from the management interface to the answer of a call.

let gateway: SharedGateway;
beforeAll(async () => {
  gateway = await sharedGateway();
});

const statusOf = async (key: string, model: string): Promise<number> =>
  (await chat(gateway.edgeUrl(), key, { model })).status;

async function listed(key: string): Promise<string[]> {
  const { data } = await axios.get<{ data: { id: string }[] }>(`${gateway.edgeUrl()}/v1/models`, {
    headers: { authorization: `Bearer ${key}` },
  });
  return data.data.map(({ id }) => id).toSorted();
}

const keyWith = (tenant: Tenant, ...modelGrants: rest.ModelGrant[]) =>
  tenant.key({ modelIds: [], modelGrants });

test('a key with all models may use later ones at once, and never those of another organisation', async () => {
  const tenant = await newTenant(gateway);
  const other = await newTenant(gateway);
  await other.model('theirs', 'sim');
  const { key } = await keyWith(tenant, { kind: 'ALL' });
  expect(await statusOf(key, 'chat')).toBe(200);
  expect(await statusOf(key, 'later')).toBe(404);
  await tenant.model('later', 'sim');
  await eventually('the new model serves', async () => (await statusOf(key, 'later')) === 200);
  expect(await listed(key)).toEqual(['chat', 'later']);
  expect(await statusOf(key, 'theirs')).toBe(404);
});

test('grants by provider and by name pattern cover their models, and no others', async () => {
  const tenant = await newTenant(gateway);
  const second = await tenant.create('providers', {
    name: 'second',
    type: 'PROVIDER_A',
    baseUrl: `${gateway.simulatorUrl}/v1`,
    apiKey: 'sk-sim-second',
  });
  await tenant.model('elsewhere', 'sim', { providerId: second.id });
  await tenant.model('team-large', 'sim');
  const provided = await keyWith(tenant, { kind: 'PROVIDER', providerId: second.id });
  expect(await listed(provided.key)).toEqual(['elsewhere']);
  expect(await statusOf(provided.key, 'elsewhere')).toBe(200);
  expect(await statusOf(provided.key, 'chat')).toBe(403);
  const named = await keyWith(tenant, { kind: 'PATTERN', pattern: 'team-*' });
  expect(await listed(named.key)).toEqual(['team-large']);
  expect(await statusOf(named.key, 'team-large')).toBe(200);
  expect(await statusOf(named.key, 'chat')).toBe(403);
});

test('a revoked grant refuses at once', async () => {
  const tenant = await newTenant(gateway);
  const { id, key } = await keyWith(tenant, { kind: 'ALL' });
  expect(await statusOf(key, 'chat')).toBe(200);
  const path = `${tenant.base}/apikeys/${id}`;
  const modelGrants = [{ kind: 'PATTERN', pattern: 'c*t' }];
  expect((await gateway.rest.patch(path, { modelGrants })).status).toBe(200);
  expect(await statusOf(key, 'chat')).toBe(200);
  expect((await gateway.rest.patch(path, { modelGrants: [] })).status).toBe(200);
  await eventually('it is refused', async () => (await statusOf(key, 'chat')) === 403);
  expect(await listed(key)).toEqual([]);
});
