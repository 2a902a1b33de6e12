import type { rest } from '@tollgate/contracts';

import {
  chat,
  eventually,
  newMember,
  newTenant,
  sharedGateway,
  signedIn,
  type SharedGateway,
  type Tenant,
} from '.';

// Refusals of a key, from the decision to the list on its page over REST.

let gateway: SharedGateway;
let tenant: Tenant;

beforeAll(async () => {
  gateway = await sharedGateway();
  tenant = await newTenant(gateway);
});

interface List {
  readonly data: rest.ApiKeyRefusal[];
}

async function refusals(apiKeyId: string, query = ''): Promise<rest.ApiKeyRefusal[]> {
  const found = await gateway.rest.get(`${tenant.base}/apikeys/${apiKeyId}/refusals${query}`);
  expect(found.status).toBe(200);
  return (found.data as List).data;
}

const codeOf = ({ data }: { data: unknown }): string =>
  (data as { error: { code: string } }).error.code;

test('a key’s list names the budget, the rate limit and the model of its refusals', async () => {
  await tenant.model('other', 'sim');
  const poor = await tenant.key();
  const hasty = await tenant.key();
  const budget = await tenant.create('budgets', {
    scope: { type: 'API_KEY', id: poor.id },
    period: 'DAILY',
    limitUsd: '0.000001',
  });
  const rate = await tenant.create('rate-limits', {
    scope: { type: 'API_KEY', id: hasty.id },
    requestsPerMinute: 0,
  });
  const url = gateway.edgeUrl();
  const overBudget = await chat(url, poor.key);
  expect(codeOf(overBudget)).toBe('budget_exceeded');
  const again = await chat(url, poor.key);
  expect(codeOf(await chat(url, poor.key, { model: 'other' }))).toBe('model_access_denied');
  expect(codeOf(await chat(url, hasty.key))).toBe('rate_limit_exceeded');

  const [denied, spent] = await eventually('both refusals are listed', async () => {
    const rows = await refusals(poor.id);
    return rows.reduce((sum, { count }) => sum + count, 0) === 3 && rows;
  });
  expect(denied).toMatchObject({ code: 'model_access_denied', lastModel: 'other', limit: null });
  expect(spent).toMatchObject({
    code: 'budget_exceeded',
    count: 2,
    reason: null,
    lastRequestId: again.headers['x-tollgate-request-id'],
    lastModel: 'chat',
    limit: {
      id: budget.id,
      kind: 'BUDGET',
      metric: 'COST',
      scope: { type: 'API_KEY', id: poor.id },
      period: 'DAILY',
      limit: '0.000001',
      spent: '0.00',
    },
  });
  expect(Date.parse(spent?.limit?.resetsAt ?? '')).toBeGreaterThan(Date.parse(spent?.lastAt ?? ''));
  expect(await refusals(poor.id, '?code=budget_exceeded')).toEqual([spent]);

  const [limited] = await eventually('the rate limit is listed', async () => {
    const rows = await refusals(hasty.id);
    return rows.length > 0 && rows;
  });
  expect(limited).toMatchObject({
    code: 'rate_limit_exceeded',
    limit: { id: rate.id, kind: 'RATE_REQUESTS', metric: null, limit: 0 },
  });
});

test('refusals by the edge are listed too, with the field and without the request’s content', async () => {
  const { id, key } = await tenant.key();
  const messages = [{ role: 'user', content: 'Hello' }];
  const wrong = await chat(gateway.edgeUrl(), key, { messages, temperature: 'a secret' });
  expect(codeOf(wrong)).toBe('invalid_request');
  const [row] = await eventually('the refusal is listed', async () => {
    const rows = await refusals(id);
    return rows.length > 0 && rows;
  });
  expect(row).toMatchObject({
    code: 'invalid_request',
    lastRequestId: wrong.headers['x-request-id'],
    limit: null,
  });
  expect(row?.message).toMatch(/^temperature: /);
  expect(JSON.stringify(row)).not.toContain('secret');
});

test('a revoked key’s list shows the revocation, which the response to its holder does not', async () => {
  const { id, key } = await tenant.key();
  await gateway.rest.post(`${tenant.base}/apikeys/${id}/revoke`);
  const answer = await eventually('the key is refused', async () => {
    const one = await chat(gateway.edgeUrl(), key);
    return one.status === 401 && one;
  });
  expect(JSON.stringify(answer.data)).not.toContain('REVOKED');
  const [row] = await eventually('the refusal is listed', async () => {
    const rows = await refusals(id);
    return rows.length > 0 && rows;
  });
  expect(row).toMatchObject({ code: 'invalid_api_key', reason: 'the key is REVOKED' });
});

test('a user reads the refusals of their own keys only', async () => {
  const { userId } = await newMember(tenant);
  const found = await gateway.rest.get(`${tenant.base}/users/${userId}`);
  const { email } = found.data as { email: string };
  const user = await signedIn(gateway.catalogUrl, email, 'correct horse battery staple');
  const own = await tenant.key({ type: 'USER', userId });
  const other = await tenant.key();
  const read = (id: string) => user.get(`${tenant.base}/apikeys/${id}/refusals`);
  expect((await read(own.id)).data).toEqual({ data: [], nextCursor: null });
  expect((await read(other.id)).status).toBe(404);
});
