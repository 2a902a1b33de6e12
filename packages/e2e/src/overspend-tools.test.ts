import axios, { type AxiosResponse } from 'axios';

import { eventually, newTenant, PRICES, sharedGateway, type SharedGateway, type Tenant } from '.';

// Forty concurrent callers with server tools that the provider bills beside tokens (web searches,
// code in a container): by the upstream's own bill they never spend more than a hard budget, in any
// format, with the provider's format the same as the client's or a different one. The test prints
// the billed amounts.

let gateway: SharedGateway;

beforeAll(async () => {
  gateway = await sharedGateway();
});

const CALLERS = 40;
const SEARCH_USD = '0.05';
const SEARCH_NANO_USD = 50_000_000n;
/** A container costs as much as the searches of one call. */
const CODE_USD = '0.25';
const CODE_NANO_USD = 250_000_000n;
/** Affords one call with five searches, and not two. */
const LIMIT_USD = '0.50';
const LIMIT_NANO_USD = 500_000_000n;
const CODE = { type: 'code_execution_20250825', name: 'code_execution' };
const WEB = { type: 'web_search_20250305', name: 'web_search' };

interface Route {
  readonly name: string;
  readonly provider: { readonly type: string; readonly path: string };
  readonly path: string;
  readonly body: object;
  /** The format can tell the provider a bound. */
  readonly bounded: boolean;
  /** The tool runs code instead of a search. */
  readonly code?: true;
}

const user = [{ role: 'user', content: 'What is new?' }];
const openai = { type: 'PROVIDER_A', path: '/v1' };
const anthropic = { type: 'PROVIDER_B', path: '' };
const gemini = { type: 'PROVIDER_C', path: '' };
const contents = [{ role: 'user', parts: [{ text: 'What is new?' }] }];
const generationConfig = { maxOutputTokens: 10 };

const ROUTES: readonly Route[] = [
  {
    name: 'chat',
    bounded: false,
    provider: openai,
    path: '/v1/chat/completions',
    body: { messages: user, max_tokens: 10, web_search_options: {} },
  },
  {
    name: 'responses with a bound of its own',
    bounded: true,
    provider: openai,
    path: '/v1/responses',
    body: {
      input: 'Hi',
      max_output_tokens: 10,
      max_tool_calls: 5,
      tools: [{ type: 'web_search' }],
    },
  },
  {
    name: 'responses',
    bounded: true,
    provider: openai,
    path: '/v1/responses',
    body: { input: 'Hi', max_output_tokens: 10, tools: [{ type: 'web_search' }], stream: true },
  },
  {
    name: 'messages with a bound of its own',
    bounded: true,
    provider: anthropic,
    path: '/v1/messages',
    body: { messages: user, max_tokens: 10, tools: [{ ...WEB, max_uses: 5 }] },
  },
  {
    name: 'messages',
    bounded: true,
    provider: anthropic,
    path: '/v1/messages',
    body: { messages: user, max_tokens: 10, tools: [WEB], stream: true },
  },
  {
    name: 'gemini',
    bounded: false,
    provider: gemini,
    path: '/v1beta/models/searching:generateContent',
    body: { contents, generationConfig, tools: [{ googleSearch: {} }] },
  },
];

const CODE_ROUTES: readonly Route[] = [
  {
    name: 'responses with code',
    bounded: true,
    code: true,
    provider: openai,
    path: '/v1/responses',
    body: {
      input: 'Hi',
      max_output_tokens: 10,
      tools: [{ type: 'code_interpreter', container: { type: 'auto' } }],
    },
  },
  {
    name: 'messages with code',
    bounded: true,
    code: true,
    provider: anthropic,
    path: '/v1/messages',
    body: { messages: user, max_tokens: 10, tools: [CODE], stream: true },
  },
];

const CLAUDE = { messages: user, max_tokens: 10, tools: [WEB] };
const RESPONSES = { input: 'Hi', max_output_tokens: 10, tools: [{ type: 'web_search' }] };
const CHAT = { messages: user, max_tokens: 10, web_search_options: {} };
const GEMINI = { contents, generationConfig, tools: [{ googleSearch: {} }] };
const generate = '/v1beta/models/searching:generateContent';

/** The client requests the search in one format, and a provider of another format runs it. */
const CROSSED_ROUTES: readonly Route[] = [
  {
    name: 'responses at Anthropic',
    bounded: true,
    provider: anthropic,
    path: '/v1/responses',
    body: { ...RESPONSES, max_tool_calls: 5 },
  },
  {
    name: 'responses at Anthropic, streamed',
    bounded: true,
    provider: anthropic,
    path: '/v1/responses',
    body: { ...RESPONSES, stream: true },
  },
  {
    name: 'chat at Anthropic',
    bounded: true,
    provider: anthropic,
    path: '/v1/chat/completions',
    body: CHAT,
  },
  {
    name: 'gemini at Anthropic',
    bounded: true,
    provider: anthropic,
    path: generate,
    body: GEMINI,
  },
  {
    name: 'messages at OpenAI',
    bounded: true,
    provider: openai,
    path: '/v1/messages',
    body: { ...CLAUDE, tools: [{ ...WEB, max_uses: 5 }] },
  },
  {
    name: 'messages at OpenAI, streamed',
    bounded: true,
    provider: openai,
    path: '/v1/messages',
    body: { ...CLAUDE, stream: true },
  },
  {
    name: 'gemini at OpenAI',
    bounded: true,
    provider: openai,
    path: generate,
    body: GEMINI,
  },
  {
    name: 'messages at Gemini',
    bounded: false,
    provider: gemini,
    path: '/v1/messages',
    body: CLAUDE,
  },
  {
    name: 'responses at Gemini, streamed',
    bounded: false,
    provider: gemini,
    path: '/v1/responses',
    body: { ...RESPONSES, stream: true },
  },
  {
    name: 'chat at Gemini',
    bounded: false,
    provider: gemini,
    path: '/v1/chat/completions',
    body: CHAT,
  },
];

/**
 * A tenant with a hard budget and a model that searches up to its bound: twenty times where the
 * format can bound it, five times where it cannot.
 */
async function searchingTenant(
  { bounded, code, provider: { path, type } }: Route,
  perUnitUsd: Record<string, string>,
  searches = bounded ? 20 : 5,
): Promise<{ tenant: Tenant; key: string }> {
  const baseUrl = `${gateway.simulatorUrl}${path}`;
  const organisation = { openCompatRoutes: true };
  const tenant = await newTenant(gateway, { organisation, provider: { type, baseUrl } });
  const upstreamModel = code ? 'sim-runs-3' : `sim-searches-${String(searches)}`;
  const modelId = await tenant.model('searching', upstreamModel, {
    maxToolCalls: 5,
    prices: [{ steps: [{ fromInputTokens: 0, ...PRICES }], perUnitUsd }],
  });
  await tenant.create('budgets', {
    scope: { type: 'ORGANISATION', id: tenant.id },
    period: 'MONTHLY',
    limitUsd: LIMIT_USD,
    mode: 'HARD',
  });
  const { key } = await tenant.key({ modelIds: [modelId] });
  return { tenant, key };
}

function call({ body, path }: Route, key: string): Promise<AxiosResponse> {
  return axios.post(
    gateway.edgeUrl() + path,
    { ...(path.startsWith('/v1beta') ? {} : { model: 'searching' }), ...body },
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
  readonly units: { readonly webSearches?: number; readonly codeContainers?: number };
}

interface Billed {
  readonly nanoUsd: bigint;
  readonly searches: number;
  readonly containers: number;
}

async function billed({ slug }: Tenant): Promise<Billed> {
  const answer = await fetch(`${gateway.simulatorUrl}/_sim/bill?apiKey=sk-sim-${slug}`);
  const { requests } = (await answer.json()) as { requests: Line[] };
  const nano = (usdPerMillion: string): number => Math.round(Number(usdPerMillion) * 1_000);
  let nanoUsd = 0n;
  let searches = 0;
  let containers = 0;
  for (const { usage, units } of requests) {
    searches += units.webSearches ?? 0;
    containers += units.codeContainers ?? 0;
    nanoUsd += BigInt(usage.input * nano(PRICES.input) + usage.output * nano(PRICES.output));
  }
  nanoUsd += BigInt(searches) * SEARCH_NANO_USD + BigInt(containers) * CODE_NANO_USD;
  return { nanoUsd, searches, containers };
}

/** The booked amount of the budget, once nothing is held and at least this amount is there. */
function spentOf({ base }: Tenant, leastNanoUsd: bigint): Promise<bigint> {
  return eventually('all of the bill is booked', async () => {
    const { data } = await gateway.rest.get(`${base}/budgets`);
    const [budget] = (data as { data: { spentUsd: string; heldUsd: string }[] }).data;
    if (budget === undefined || Number(budget.heldUsd) > 0) return undefined;
    const nanoUsd = BigInt(Math.round(Number(budget.spentUsd) * 1e9));
    return nanoUsd >= leastNanoUsd ? nanoUsd : undefined;
  });
}

test.each([...ROUTES, ...CODE_ROUTES, ...CROSSED_ROUTES])(
  '$name: forty at once never spend more than the budget',
  async (route) => {
    const prices = { web_search: SEARCH_USD, code_execution: CODE_USD };
    const { tenant, key } = await searchingTenant(route, prices);
    const answers = await Promise.all(Array.from({ length: CALLERS }, () => call(route, key)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status !== 200 && status !== 402)).toEqual([]);
    const served = statuses.filter((status) => status === 200).length;
    expect(served).toBeGreaterThan(0);

    const bill = await billed(tenant);
    expect(bill).toMatchObject(
      route.code ? { searches: 0, containers: served } : { searches: served * 5, containers: 0 },
    );
    expect(bill.nanoUsd).toBeLessThanOrEqual(LIMIT_NANO_USD);
    expect(await spentOf(tenant, bill.nanoUsd)).toBe(bill.nanoUsd);
    const usd = (Number(bill.nanoUsd) / 1e9).toFixed(6);
    process.stdout.write(
      `${route.name}: ${served} of ${CALLERS} served, $${usd} of $${LIMIT_USD}\n`,
    );
  },
);

test.each([...ROUTES, ...CROSSED_ROUTES])(
  '$name: a tool without a unit price is refused by name',
  async (route) => {
    const { tenant, key } = await searchingTenant(route, {});
    const { data, status } = await call(route, key);
    expect(status).toBe(400);
    expect(JSON.stringify(data)).toMatch(
      /(tools\[0\]|web_search_options).* no price for the unit web_search/,
    );
    expect((await billed(tenant)).searches).toBe(0);
  },
);

const UNBOUNDED = [...ROUTES, ...CROSSED_ROUTES].filter(({ bounded }) => !bounded);

test.each(UNBOUNDED)('$name: searches beyond the hold are booked', async (route) => {
  const { tenant, key } = await searchingTenant(route, { web_search: SEARCH_USD }, 20);
  expect((await call(route, key)).status).toBe(200);
  const bill = await billed(tenant);
  expect(bill.searches).toBe(20);
  expect(await spentOf(tenant, bill.nanoUsd)).toBe(bill.nanoUsd);
  expect((await call(route, key)).status).toBe(402);
});
