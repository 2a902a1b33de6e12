// Creates an organisation with a provider, two models and a budget through the management API, as the
// README does with curl, and prints a new API key.
const { CATALOG_URL, EMAIL, PASSWORD, UPSTREAM_URL } = process.env;
let token;

async function post(path, body) {
  const answer = await fetch(`${CATALOG_URL}/api${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(20_000),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`POST ${path}: ${answer.status} ${text}`);
  return JSON.parse(text);
}

({ accessToken: token } = await post('/auth/login', { email: EMAIL, password: PASSWORD }));
const { id } = await post('/admin/organisations', { name: 'Try', slug: 'try', timeZone: 'UTC' });
const base = `/organisations/${id}`;
const provider = await post(`${base}/providers`, {
  name: 'simulator',
  type: 'PROVIDER_A',
  baseUrl: UPSTREAM_URL,
  apiKey: 'simulator-key',
});
const modelIds = [];
// The second one answers 40 tokens in 20 seconds.
for (const [name, upstreamModel] of [
  ['demo', 'sim'],
  ['demo-slow', 'sim-tokens-40.pace-500'],
]) {
  const prices = [
    { steps: [{ fromInputTokens: 0, input: '0.15', cacheRead: '0.075', output: '0.60' }] },
  ];
  const sizes = { contextTokens: 128_000, defaultMaxOutputTokens: 256 };
  const model = { name, providerId: provider.id, upstreamModel, type: 'chat', ...sizes, prices };
  modelIds.push((await post(`${base}/models`, model)).id);
}
const scope = { type: 'ORGANISATION', id };
await post(`${base}/budgets`, { scope, period: 'MONTHLY', limitUsd: '5000.00', mode: 'HARD' });
const { key } = await post(`${base}/apikeys`, { name: 'try', type: 'ORGANISATION', modelIds });
console.log(key);
