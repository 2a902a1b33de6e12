import axios, { type AxiosResponse } from 'axios';

import {
  eventually,
  newTenant,
  recordOf,
  requestIdOf,
  sharedGateway,
  type SharedGateway,
  type Tenant,
} from '.';

// Images that are billed in tokens at a price of their own: by the upstream's own bill, what is booked is what the provider
// bills, and a hard budget is never overspent although nothing bounds the tokens of an image.

let gateway: SharedGateway;

beforeAll(async () => {
  gateway = await sharedGateway();
});

/** US dollars per million tokens. */
const USD = { input: '5', imageInput: '10', output: '12', imageOutput: '40' };
type Priced = keyof typeof USD;

interface Route {
  readonly name: string;
  readonly provider: { readonly type: string; readonly path: string };
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>> | (() => FormData);
  readonly upstreamModel?: string;
  /** The classes that the bill has. */
  readonly classes: readonly Priced[];
}

const openai = { type: 'PROVIDER_A', path: '/v1' };
const gemini = { type: 'PROVIDER_C', path: '' };
const user = [{ role: 'user', content: 'Draw a fox' }];
const DRAWN = { prompt: 'A fox', size: '1024x1536', quality: 'high' };
const parts = [{ text: 'A fox' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }];
const GEMINI = {
  contents: [{ role: 'user', parts }],
  generationConfig: { maxOutputTokens: 40 },
};

function edit(): FormData {
  const form = new FormData();
  for (const [name, text] of Object.entries({ model: 'draws', prompt: 'Red', quality: 'high' })) {
    form.append(name, text);
  }
  form.append('image', new Blob([new Uint8Array(90)], { type: 'image/png' }), 'a.png');
  return form;
}

const DRAWS = ['input', 'imageOutput'] as const;
const SEES_AND_DRAWS = ['input', 'imageInput', 'imageOutput'] as const;
const ALL = ['input', 'imageInput', 'output', 'imageOutput'] as const;
const both = 'sim-tokens-40+image-output-30';

const ROUTES: readonly Route[] = [
  {
    name: 'image generation',
    provider: openai,
    path: '/v1/images/generations',
    body: { model: 'draws', ...DRAWN, n: 2 },
    classes: DRAWS,
  },
  {
    name: 'image generation, streamed',
    provider: openai,
    path: '/v1/images/generations',
    body: { model: 'draws', ...DRAWN, n: 2, stream: true, partial_images: 2 },
    classes: DRAWS,
  },
  {
    name: 'image edit',
    provider: openai,
    path: '/v1/images/edits',
    body: edit,
    classes: SEES_AND_DRAWS,
  },
  ...['edits', 'generations'].map((name) => ({
    name: `image ${name} with ten images as JSON`,
    provider: openai,
    path: `/v1/images/${name}`,
    body: { model: 'draws', ...DRAWN, image: Array(10).fill('data:image/png;base64,AAAA') },
    classes: SEES_AND_DRAWS,
  })),
  {
    name: 'chat of a server that counts images',
    provider: openai,
    path: '/v1/chat/completions',
    body: { model: 'draws', messages: user, max_tokens: 40 },
    upstreamModel: `${both}+image-input-7`,
    classes: ALL,
  },
  {
    name: 'Gemini',
    provider: gemini,
    path: '/v1beta/models/draws:generateContent',
    body: GEMINI,
    upstreamModel: both,
    classes: ALL,
  },
  {
    name: 'Gemini, streamed',
    provider: gemini,
    path: '/v1beta/models/draws:streamGenerateContent?alt=sse',
    body: GEMINI,
    upstreamModel: both,
    classes: ALL,
  },
  {
    name: 'chat at Gemini',
    provider: gemini,
    path: '/v1/chat/completions',
    body: { model: 'draws', messages: user, max_tokens: 40, stream: true },
    upstreamModel: both,
    classes: ['input', 'output', 'imageOutput'],
  },
];

async function drawingTenant(
  { path, provider, upstreamModel = 'sim' }: Route,
  limitUsd?: string,
): Promise<{ tenant: Tenant; key: string }> {
  const baseUrl = `${gateway.simulatorUrl}${provider.path}`;
  const tenant = await newTenant(gateway, {
    organisation: { openCompatRoutes: true },
    provider: { type: provider.type, baseUrl },
  });
  const modelId = await tenant.model('draws', upstreamModel, {
    type: path.includes('/images/') ? 'image' : 'chat',
    // Nothing but the request tells what is held.
    defaultMaxOutputTokens: null,
    prices: [{ steps: [{ fromInputTokens: 0, ...USD }] }],
  });
  if (limitUsd !== undefined) {
    await tenant.create('budgets', {
      scope: { type: 'ORGANISATION', id: tenant.id },
      period: 'MONTHLY',
      mode: 'HARD',
      limitUsd,
    });
  }
  const { key } = await tenant.key({ modelIds: [modelId] });
  return { tenant, key };
}

function call({ body, path }: Route, key: string): Promise<AxiosResponse> {
  const headers = { authorization: `Bearer ${key}`, 'x-goog-api-key': key };
  const sent = typeof body === 'function' ? body() : body;
  return axios.post(gateway.edgeUrl() + path, sent, { headers, validateStatus: () => true });
}

type Usage = Readonly<Record<Priced, number>>;

interface Refused {
  readonly error: { readonly message: string; readonly details: { readonly need: object } };
}

interface Booked {
  readonly costUsd: string;
  readonly heldUsd: string;
  readonly tokens: Usage;
}

async function bookedOf(tenant: Tenant, answer: AxiosResponse): Promise<Booked> {
  return (await recordOf(gateway, tenant, requestIdOf(answer))) as Booked;
}

/** The upstream's bill, in nano-USD. */
async function billed({ slug }: Tenant): Promise<{ nanoUsd: number; usages: Usage[] }> {
  const answer = await fetch(`${gateway.simulatorUrl}/_sim/bill?apiKey=sk-sim-${slug}`);
  const { requests } = (await answer.json()) as { requests: { usage: Usage }[] };
  const usages = requests.map(({ usage }) => usage);
  let nanoUsd = 0;
  for (const usage of usages) {
    for (const name of ALL) nanoUsd += usage[name] * Number(USD[name]) * 1_000;
  }
  return { nanoUsd, usages };
}

const nanoUsdOf = (usd: unknown): number => Math.round(Number(usd) * 1e9);

test.each(ROUTES)('$name: it is held and booked as it is billed', async (route) => {
  const { tenant, key } = await drawingTenant(route, '100');
  const answer = await call(route, key);
  expect(answer.status).toBe(200);
  const record = await bookedOf(tenant, answer);
  const { nanoUsd, usages } = await billed(tenant);
  const [usage] = usages as [Usage];
  expect(ALL.filter((name) => usage[name] > 0)).toEqual([...route.classes]);
  const { input, imageInput, output, imageOutput } = usage;
  expect(record.tokens).toMatchObject({ input, imageInput, output, imageOutput });
  expect(nanoUsdOf(record.costUsd)).toBe(nanoUsd);
  expect(nanoUsdOf(record.heldUsd)).toBeGreaterThanOrEqual(nanoUsd);
});

const [IMAGES] = ROUTES as readonly [Route];

test.each([
  ['generated by an image model', IMAGES, '1.2'],
  ['answered by Gemini', ROUTES.find(({ name }) => name === 'Gemini') as Route, '0.05'],
])('forty at once, %s, never spend more than a hard budget', async (_, route, limitUsd) => {
  const { tenant, key } = await drawingTenant(route, limitUsd);
  const answers = await Promise.all(Array.from({ length: 40 }, () => call(route, key)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 402]));
  const { nanoUsd } = await billed(tenant);
  expect(nanoUsd).toBeLessThanOrEqual(nanoUsdOf(limitUsd));
  const spent = await eventually('all of the bill is booked', async () => {
    const { data } = await gateway.rest.get(`${tenant.base}/budgets`);
    const [budget] = (data as { data: { spentUsd: string; heldUsd: string }[] }).data;
    if (budget === undefined || Number(budget.heldUsd) > 0) return undefined;
    return nanoUsdOf(budget.spentUsd) >= nanoUsd ? nanoUsdOf(budget.spentUsd) : undefined;
  });
  expect(spent).toBe(nanoUsd);
});

test('a refusal says what the images would have held, and a budget that lowers bounds does not lower it', async () => {
  const { tenant, key } = await drawingTenant(IMAGES);
  await tenant.create('budgets', {
    scope: { type: 'ORGANISATION', id: tenant.id },
    period: 'MONTHLY',
    mode: 'HARD',
    clampToBudget: true,
    limitUsd: '0.4',
  });
  const { data, status } = await call(IMAGES, key);
  expect(status).toBe(402);
  const { message, details } = (data as Refused).error;
  expect(details.need).toMatchObject({ outputTokens: 2 * 6_240, outputBound: 'EXPECTED' });
  expect(message).toContain('ask for fewer images');
  expect((await billed(tenant)).usages).toEqual([]);
});

test('a client that hangs up pays for the images that it asked for', async () => {
  const slow = { ...IMAGES, upstreamModel: 'sim-slow-first-byte-2000' };
  const { tenant, key } = await drawingTenant(slow);
  const gone = new AbortController();
  const answer = axios.post(gateway.edgeUrl() + IMAGES.path, IMAGES.body, {
    headers: { authorization: `Bearer ${key}` },
    signal: gone.signal,
  });
  await eventually('the upstream has the request', async () => {
    const seen = await fetch(`${gateway.simulatorUrl}/_sim/requests?apiKey=sk-sim-${tenant.slug}`);
    const { data } = (await seen.json()) as { data: unknown[] };
    return data.length > 0 ? true : undefined;
  });
  gone.abort();
  await expect(answer).rejects.toThrow();
  const costUsd = await eventually('the request is booked', async () => {
    const { data } = await gateway.rest.get(`${tenant.base}/usage/records`);
    return (data as { data: { costUsd: string }[] }).data[0]?.costUsd;
  });
  expect(nanoUsdOf(costUsd)).toBeGreaterThanOrEqual(2 * 6_240 * 40_000);
});

test('without a price of their own, images cost as much as text', async () => {
  const baseUrl = `${gateway.simulatorUrl}${gemini.path}`;
  const tenant = await newTenant(gateway, { provider: { type: gemini.type, baseUrl } });
  const modelId = await tenant.model('draws', both, {
    prices: [{ steps: [{ fromInputTokens: 0, input: '1', output: '1' }] }],
  });
  const { key } = await tenant.key({ modelIds: [modelId] });
  const route = ROUTES.find(({ name }) => name === 'Gemini') as Route;
  const answer = await call(route, key);
  const record = await bookedOf(tenant, answer);
  const { usages } = await billed(tenant);
  const [{ input, imageInput, output, imageOutput }] = usages as [Usage];
  expect(imageOutput).toBe(30);
  expect(nanoUsdOf(record.costUsd)).toBe((input + imageInput + output + imageOutput) * 1_000);
});
