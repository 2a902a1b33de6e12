import axios, { type AxiosResponse } from 'axios';

import {
  eventually,
  newTenant,
  PRICES,
  recordOf,
  requestIdOf,
  sharedGateway,
  type SharedGateway,
  type Tenant,
} from '.';

// Processing tiers that providers charge at another price: by the upstream's own bill, what is booked is what the provider
// bills, a hard budget is never overspent, and a tier without a price is refused by the name of its field.

let gateway: SharedGateway;

beforeAll(async () => {
  gateway = await sharedGateway();
});

const PERCENT: Readonly<Record<string, number>> = { priority: 200, flex: 50, fast: 600, us: 110 };

interface Route {
  readonly name: string;
  readonly provider: { readonly type: string; readonly path: string };
  readonly path: string;
  readonly body: object;
  /** The fields that ask for a tier. */
  readonly asks: object;
  /** As the bill and the record name it. */
  readonly tier: string;
  /** The field that a refusal names. */
  readonly param: string;
}

const user = [{ role: 'user', content: 'What is new?' }];
const openai = { type: 'PROVIDER_A', path: '/v1' };
const anthropic = { type: 'PROVIDER_B', path: '' };
const gemini = { type: 'PROVIDER_C', path: '' };
const CHAT = { messages: user, max_tokens: 10 };
const CHAT_PATH = '/v1/chat/completions';
const RESPONSES = { input: 'Hi', max_output_tokens: 16, store: false };
const GEMINI = {
  contents: [{ role: 'user', parts: [{ text: 'What is new?' }] }],
  generationConfig: { maxOutputTokens: 10 },
};
const generate = '/v1beta/models/tiered:generateContent';
const streamed = '/v1beta/models/tiered:streamGenerateContent?alt=sse';
const priority = { asks: { service_tier: 'priority' }, tier: 'priority', param: 'service_tier' };

const ROUTES: readonly Route[] = [
  { name: 'chat', provider: openai, path: CHAT_PATH, body: CHAT, ...priority },
  {
    name: 'chat, streamed',
    provider: openai,
    path: CHAT_PATH,
    body: { ...CHAT, stream: true },
    ...priority,
  },
  {
    name: 'chat by the word fast',
    provider: openai,
    path: CHAT_PATH,
    body: CHAT,
    ...priority,
    asks: { service_tier: 'fast' },
  },
  { name: 'responses', provider: openai, path: '/v1/responses', body: RESPONSES, ...priority },
  {
    name: 'responses, streamed',
    provider: openai,
    path: '/v1/responses',
    body: { ...RESPONSES, stream: true },
    ...priority,
  },
  { name: 'chat at Gemini', provider: gemini, path: CHAT_PATH, body: CHAT, ...priority },
  {
    name: 'Gemini',
    provider: gemini,
    path: generate,
    body: GEMINI,
    ...priority,
    asks: { serviceTier: 'priority' },
    param: 'serviceTier',
  },
  {
    name: 'Gemini, streamed',
    provider: gemini,
    path: streamed,
    body: GEMINI,
    ...priority,
    asks: { serviceTier: 'priority' },
    param: 'serviceTier',
  },
  {
    name: 'Gemini at OpenAI',
    provider: openai,
    path: generate,
    body: GEMINI,
    ...priority,
    asks: { serviceTier: 'priority' },
    param: 'serviceTier',
  },
  {
    name: 'messages',
    provider: anthropic,
    path: '/v1/messages',
    body: CHAT,
    asks: { speed: 'fast' },
    tier: 'fast',
    param: 'speed',
  },
  {
    name: 'messages in a region, streamed',
    provider: anthropic,
    path: '/v1/messages',
    body: { ...CHAT, stream: true },
    asks: { speed: 'fast', inference_geo: 'us' },
    tier: 'fast, us',
    param: 'speed',
  },
];

async function tieredTenant(
  { type, path }: Route['provider'],
  {
    budget,
    tierPercent = PERCENT,
    upstreamModel = 'sim-tokens-10',
  }: {
    budget?: { limitUsd: string; mode?: string };
    tierPercent?: object;
    upstreamModel?: string;
  } = {},
): Promise<{ tenant: Tenant; key: string }> {
  const baseUrl = `${gateway.simulatorUrl}${path}`;
  const organisation = { openCompatRoutes: true };
  const tenant = await newTenant(gateway, { organisation, provider: { type, baseUrl } });
  const modelId = await tenant.model('tiered', upstreamModel, {
    prices: [{ steps: [{ fromInputTokens: 0, ...PRICES }], tierPercent }],
  });
  if (budget !== undefined) {
    await tenant.create('budgets', {
      scope: { type: 'ORGANISATION', id: tenant.id },
      period: 'MONTHLY',
      mode: 'HARD',
      ...budget,
    });
  }
  const { key } = await tenant.key({ modelIds: [modelId] });
  return { tenant, key };
}

function call({ asks, body, path }: Route, key: string, more: object = {}): Promise<AxiosResponse> {
  return axios.post(
    gateway.edgeUrl() + path,
    { ...(path.startsWith('/v1beta') ? {} : { model: 'tiered' }), ...body, ...asks, ...more },
    {
      headers: {
        authorization: `Bearer ${key}`,
        'x-api-key': key,
        'x-goog-api-key': key,
        'anthropic-version': '2023-06-01',
      },
      validateStatus: () => true,
    },
  );
}

interface Line {
  readonly usage: { readonly input: number; readonly output: number };
  readonly tiers?: string;
}

/** The upstream's bill at the published percentages, in nano-USD. */
async function billed({ slug }: Tenant): Promise<{ nanoUsd: number; tiers: (string | null)[] }> {
  const answer = await fetch(`${gateway.simulatorUrl}/_sim/bill?apiKey=sk-sim-${slug}`);
  const { requests } = (await answer.json()) as { requests: Line[] };
  const nano = (usdPerMillion: string): number => Math.round(Number(usdPerMillion) * 1_000);
  let nanoUsd = 0;
  for (const { tiers, usage } of requests) {
    const list = usage.input * nano(PRICES.input) + usage.output * nano(PRICES.output);
    const percents = (tiers?.split(', ') ?? []).map((tier) => PERCENT[tier] ?? 100);
    nanoUsd += percents.reduce((sum, percent) => (sum * percent) / 100, list);
  }
  return { nanoUsd, tiers: requests.map(({ tiers }) => tiers ?? null) };
}

interface Booked {
  readonly costUsd: string;
  readonly heldUsd: string;
  readonly serviceTier: string | null;
}

async function bookedOf(tenant: Tenant, answer: AxiosResponse): Promise<Booked> {
  return (await recordOf(gateway, tenant, requestIdOf(answer))) as Booked;
}

const nanoUsdOf = (usd: unknown): number => Math.round(Number(usd) * 1e9);

test.each(ROUTES)('$name: it is booked as it is billed', async (route) => {
  const { tenant, key } = await tieredTenant(route.provider);
  const answer = await call(route, key);
  expect(answer.status).toBe(200);
  const record = await bookedOf(tenant, answer);
  const bill = await billed(tenant);
  expect(bill.tiers).toEqual([route.tier]);
  expect(record).toMatchObject({
    serviceTier: route.tier,
    attempts: [{ serviceTier: route.tier }],
  });
  expect(nanoUsdOf(record.costUsd)).toBe(bill.nanoUsd);
});

test.each(ROUTES)(
  '$name: without a percentage, a hard budget refuses it by name',
  async (route) => {
    const { tenant, key } = await tieredTenant(route.provider, {
      budget: { limitUsd: '100' },
      tierPercent: {},
    });
    const { data, status } = await call(route, key);
    expect(status).toBe(400);
    expect(JSON.stringify(data)).toContain(`${route.param}: the price of the model`);
    expect((await billed(tenant)).tiers).toEqual([]);
    // The same request without the field.
    expect((await call({ ...route, asks: {} }, key)).status).toBe(200);
  },
);

const [CHAT_ROUTE] = ROUTES as readonly [Route];

test('flex is booked half, and needs no percentage', async () => {
  const flex = { ...CHAT_ROUTE, asks: { service_tier: 'flex' } };
  const { tenant, key } = await tieredTenant(openai, { budget: { limitUsd: '100' } });
  const [plain, cheap] = [await call({ ...flex, asks: {} }, key), await call(flex, key)];
  const [full, half] = [await bookedOf(tenant, plain), await bookedOf(tenant, cheap)];
  expect(full.serviceTier).toBeNull();
  expect(half.serviceTier).toBe('flex');
  expect(2 * nanoUsdOf(half.costUsd)).toBe(nanoUsdOf(full.costUsd));
  const bill = await billed(tenant);
  expect(nanoUsdOf(half.costUsd) + nanoUsdOf(full.costUsd)).toBe(bill.nanoUsd);
  const unpriced = await tieredTenant(openai, { budget: { limitUsd: '100' }, tierPercent: {} });
  expect((await call(flex, unpriced.key)).status).toBe(200);
});

test('what falls back to standard processing is held at the tier, and booked at the list price', async () => {
  const { tenant, key } = await tieredTenant(openai, {
    upstreamModel: 'sim-standard+tokens-10',
  });
  const answer = await call(CHAT_ROUTE, key);
  const record = await bookedOf(tenant, answer);
  const bill = await billed(tenant);
  expect(bill.tiers).toEqual([null]);
  expect(record.serviceTier).toBeNull();
  expect(nanoUsdOf(record.costUsd)).toBe(bill.nanoUsd);
  expect(nanoUsdOf(record.heldUsd)).toBeGreaterThanOrEqual(2 * bill.nanoUsd);
});

test('without hard limits of money, a tier without a percentage costs the list price', async () => {
  const { tenant, key } = await tieredTenant(openai, {
    budget: { limitUsd: '0.000001', mode: 'SOFT' },
    tierPercent: {},
  });
  const answer = await call(CHAT_ROUTE, key);
  expect(answer.status).toBe(200);
  const record = await bookedOf(tenant, answer);
  expect(record.serviceTier).toBe('priority');
  expect(2 * nanoUsdOf(record.costUsd)).toBe((await billed(tenant)).nanoUsd);
});

test('forty at once never spend more than a hard budget in a tier', async () => {
  const limitUsd = '0.002';
  const { tenant, key } = await tieredTenant(openai, { budget: { limitUsd } });
  const answers = await Promise.all(Array.from({ length: 40 }, () => call(CHAT_ROUTE, key)));
  const statuses = new Set(answers.map(({ status }) => status));
  expect(statuses).toEqual(new Set([200, 402]));
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
