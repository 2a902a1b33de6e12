import {
  chat,
  checkBooks,
  newTenant,
  recordOf,
  requestIdOf,
  sharedGateway,
  type SharedGateway,
  type Tenant,
} from '.';

// Plugins on the running stack: what they choose for a request, and what the books say of it.

let gateway: SharedGateway;
beforeAll(async () => {
  gateway = await sharedGateway();
});

async function plugged(tenant: Tenant, code: string, over: object): Promise<void> {
  const protocol = { type: 'JAVASCRIPT', code };
  await tenant.create('screening-services', { identifier: 'desk', name: 'Desk', protocol });
  const asking = { kind: 'PLUGIN', service: 'desk', timeoutMs: 10_000 };
  const rule = {
    id: 'desk',
    ...asking,
    where: ['INPUT'],
    action: 'BLOCK',
    onError: 'BLOCK',
    ...over,
  };
  const attachedTo = [{ scopeType: 'ORGANISATION', scopeId: tenant.id }];
  await tenant.create('screening-policies', {
    identifier: 'house',
    name: 'House rules',
    attachedTo,
    rules: [rule],
  });
}

const CHOOSES = `function check({ model, routeTo }) {
  return { verdict: 'PASS', model: model === 'chat' ? routeTo[0] : '' };
}`;

describe('a plugin that chooses another model', () => {
  test('has one request in rates, concurrency and books, of the model that it chose', async () => {
    const tenant = await newTenant(gateway);
    const second = await tenant.model('second', 'sim');
    await plugged(tenant, CHOOSES, { mayRouteTo: ['second'] });
    const { id: apiKeyId, key } = await tenant.key({ modelIds: [tenant.modelId, second] });
    const scope = { type: 'API_KEY', id: apiKeyId };
    await tenant.create('rate-limits', { scope, requestsPerMinute: 2, concurrentRequests: 1 });
    for (let round = 0; round < 2; round += 1) {
      const answer = await chat(gateway.edgeUrl(), key);
      expect([answer.status, answer.data]).toEqual([
        200,
        expect.objectContaining({ model: 'chat' }),
      ]);
      expect(answer.headers['x-tollgate-model']).toBe('second');
      const record = await recordOf(gateway, tenant, requestIdOf(answer));
      expect(record).toMatchObject({
        modelId: second,
        screening: expect.stringContaining('model="second"'),
      });
    }
    expect((await chat(gateway.edgeUrl(), key)).status).toBe(429);
    await checkBooks(gateway);
  });

  test('cannot choose one that the key is not granted', async () => {
    const tenant = await newTenant(gateway);
    await tenant.model('second', 'sim');
    await plugged(tenant, CHOOSES, { mayRouteTo: ['second'] });
    const { key } = await tenant.key();
    const answer = await chat(gateway.edgeUrl(), key);
    expect(answer.status).toBe(403);
    expect(answer.data).toMatchObject({ error: { code: 'model_access_denied' } });
    await checkBooks(gateway);
  });
});

test('tags that a plugin sets are in records, CSV and filters', async () => {
  const tenant = await newTenant(gateway);
  const code = `function check({ texts }) {
    return { verdict: 'PASS', tags: { project: texts[0].text.includes('red') ? 'red' : 'blue' } };
  }`;
  await plugged(tenant, code, { action: 'OBSERVE', mayTag: ['project'] });
  const { key } = await tenant.key();
  const says = (content: string) => ({ messages: [{ role: 'user', content }] });
  const red = requestIdOf(await chat(gateway.edgeUrl(), key, says('the red one')));
  const blue = requestIdOf(await chat(gateway.edgeUrl(), key, says('the other')));
  for (const id of [red, blue]) await recordOf(gateway, tenant, id);
  expect(await recordOf(gateway, tenant, red)).toMatchObject({ tags: 'project:red' });
  const path = `${tenant.base}/usage/records?tag=project:red`;
  const { data } = (await gateway.rest.get(path)).data as { data: { id: string }[] };
  expect(data.map(({ id }) => id)).toEqual([red]);
});
