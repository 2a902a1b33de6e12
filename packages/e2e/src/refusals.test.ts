import axios, { type AxiosResponse } from 'axios';

import { chat, eventually, newTenant, startGateway, type Gateway, type Tenant } from '.';

// Every refusal before an upstream call, with its status, its code and its field.

let gateway: Gateway;
let tenant: Tenant;
let key: string;
let stop: () => Promise<void> = async () => undefined;

beforeAll(async () => {
  // Cached plans do not expire during the tests, so a change works only by its notification.
  gateway = await startGateway({ edges: 2, env: { policy: { CONTEXT_FRESH_MS: '600000' } } });
  stop = gateway.stop;
  tenant = await newTenant(gateway);
  ({ key } = await tenant.key());
});
afterAll(() => stop());

function refusal(answer: AxiosResponse): { status: number; code: string; message: string } {
  const { error } = answer.data as { error: { code: string; message: string } };
  return { status: answer.status, code: error.code, message: error.message };
}

const post = (path: string, body: unknown, headers: object): Promise<AxiosResponse> =>
  axios.post(`${gateway.edgeUrl()}${path}`, body, {
    headers: { 'content-type': 'application/json', ...headers },
    validateStatus: () => true,
  });

test.each([
  ['no key', {}, 'missing_api_key'],
  ['another scheme', { authorization: 'Basic abc' }, 'invalid_api_key'],
  ['an unknown key', { authorization: 'Bearer tg_nobody' }, 'invalid_api_key'],
])('%s is 401', async (_, headers, code) => {
  const answer = await chat(gateway.edgeUrl(), undefined, {}, headers);
  expect(refusal(answer)).toMatchObject({ status: 401, code });
});

test.each([
  ['not JSON', '{"model":', ''],
  ['no messages', { model: 'chat' }, 'messages'],
  ['a message without a role', { model: 'chat', messages: [{ content: 'x' }] }, 'messages[0].role'],
  [
    'a temperature as text',
    { model: 'chat', messages: [{ role: 'user', content: 'x' }], temperature: 'hot' },
    'temperature',
  ],
])('a malformed body is 400 and the field is named: %s', async (_, body, field) => {
  for (const path of ['/v1/chat/completions', '/v1/llm/chat']) {
    const answer = await post(path, body, { authorization: `Bearer ${key}` });
    expect(refusal(answer)).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(refusal(answer).message).toContain(field);
  }
});

test('a model that does not exist is 404, one that is not granted is 403', async () => {
  await tenant.model('other', 'sim');
  const unknown = await chat(gateway.edgeUrl(), key, { model: 'unheard-of' });
  expect(refusal(unknown)).toMatchObject({ status: 404, code: 'model_not_found' });
  const denied = await eventually('the new model is known', async () => {
    const answer = await chat(gateway.edgeUrl(), key, { model: 'other' });
    return refusal(answer).code === 'model_not_found' ? undefined : answer;
  });
  expect(refusal(denied)).toMatchObject({ status: 403, code: 'model_access_denied' });
});

test('a pinned provider that does not have the model is 400', async () => {
  const messages = [{ role: 'user', content: 'x' }];
  const authorization = `Bearer ${key}`;
  for (const path of ['/v1/llm/chat', '/v1/chat/completions']) {
    const body = { model: 'chat', messages, provider: 'provider_b' };
    const answer = await post(path, body, { authorization });
    expect(refusal(answer)).toMatchObject({ status: 400, code: 'provider_mismatch' });
  }
});

test.each(['base_url', 'api_key', 'timeout', 'upstream_model'])(
  'the internal override %s is refused by name on the gateway-native route',
  async (field) => {
    const body = { model: 'chat', messages: [{ role: 'user', content: 'x' }], [field]: 'x' };
    const answer = await post('/v1/llm/chat', body, { authorization: `Bearer ${key}` });
    expect(refusal(answer)).toMatchObject({ status: 400 });
    expect(refusal(answer).message).toContain(field);
  },
);

test('no field or header of the client changes the upstream’s address, key or host', async () => {
  const answer = await chat(
    gateway.edgeUrl(),
    key,
    { base_url: 'http://evil.example', api_key: 'evil-key', timeout: 1 },
    { cookie: 'session=evil-cookie', 'x-forwarded-host': 'evil.example', 'api-key': 'evil-key' },
  );
  expect(answer.status).toBe(200);
  const seen = await axios.get(`${gateway.simulatorUrl}/_sim/requests`);
  const { data } = seen.data as { data: { headers: Record<string, string> }[] };
  expect(data.length).toBeGreaterThan(0);
  const headers = data.map((request) => JSON.stringify(request.headers)).join('\n');
  expect(headers).not.toContain('evil');
  expect(headers).not.toContain(key);
});

test('an unknown route is 404 in the client’s format', async () => {
  const answer = await post('/v1/nothing', {}, { authorization: `Bearer ${key}` });
  expect(refusal(answer)).toMatchObject({ status: 404, code: 'route_not_found' });
});

test('a revoked key is refused on every edge, before a cache expires', async () => {
  const made = await tenant.key();
  for (const edge of [0, 1]) expect((await chat(gateway.edgeUrl(edge), made.key)).status).toBe(200);
  const answer = await gateway.rest.post(`${tenant.base}/apikeys/${made.id}/revoke`, {});
  expect(answer.status).toBe(200);
  const refused = async (edge: number): Promise<boolean> =>
    (await chat(gateway.edgeUrl(edge), made.key)).status === 401;
  await eventually('both edges refuse', async () => (await refused(0)) && (await refused(1)));
});

test('validating a key returns its owner and its models', async () => {
  const authorization = `Bearer ${key}`;
  const valid = await post('/v1/keys/validate', {}, { authorization });
  expect(valid.status).toBe(200);
  expect(JSON.stringify(valid.data)).toContain(tenant.id);
  expect(JSON.stringify(valid.data)).toContain('"chat"');
  const invalid = await post('/v1/keys/validate', {}, { authorization: 'Bearer tg_nobody' });
  expect(refusal(invalid)).toMatchObject({ status: 401, code: 'invalid_api_key' });
});

test('cache invalidation needs the secret', async () => {
  const path = '/v1/internal/cache/invalidate';
  expect((await post(path, {}, {})).status).toBe(401);
  expect((await post(path, {}, { authorization: 'Bearer wrong' })).status).toBe(401);
  const authorization = `Bearer ${gateway.state.secrets.cacheInvalidationSecret}`;
  expect((await post(path, {}, { authorization })).status).toBe(200);
});

test('the logs contain no secret', async () => {
  const logs = await gateway.logs();
  const { secrets } = gateway.state;
  const words = [key, `sk-sim-${tenant.slug}`, secrets.jwtSecret, secrets.adminPassword];
  words.push(secrets.holdTokenSecret, secrets.keyEncryptionKey, ...Object.values(secrets.tokens));
  for (const word of words) expect(logs).not.toContain(word);
  expect(logs).not.toContain('Hello there');
});
