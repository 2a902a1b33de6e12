import axios, { type AxiosResponse } from 'axios';

import {
  newTenant,
  recordOf,
  requestIdOf,
  sharedGateway,
  type SharedGateway,
  type Tenant,
} from '.';

// Every billed route: served, booked as the upstream's own bill, and refused by an exhausted
// budget.

let gateway: SharedGateway;
let tenant: Tenant;
let key: string;

const RATES = {
  input: 3,
  audioInput: 7,
  imageInput: 5,
  output: 11,
  audioOutput: 13,
  imageOutput: 17,
} as const;
const CLASSES = Object.keys(RATES) as (keyof typeof RATES)[];
const REQUEST_NANO = 5_000;
const UNITS = { image: 40_000, audio_second: 100, character: 15 } as const;

/** One nano-USD per token is a thousandth of a dollar per million tokens. */
const prices = [
  {
    steps: [
      {
        fromInputTokens: 0,
        ...Object.fromEntries(
          Object.entries(RATES).map(([name, n]) => [name, (n / 1_000).toFixed(3)]),
        ),
      },
    ],
    perRequestUsd: usd(REQUEST_NANO),
    perUnitUsd: Object.fromEntries(Object.entries(UNITS).map(([name, n]) => [name, usd(n)])),
  },
];

function usd(nano: number): string {
  return (nano / 1e9).toFixed(9);
}

interface ProviderRow {
  readonly type: string;
  readonly path: string;
  readonly models: Readonly<Record<string, string>>;
  readonly apiVersion?: string;
}

/** Models by name, with the type of each; the upstream's name has the prefix `sim-`. */
const PROVIDERS: readonly ProviderRow[] = [
  {
    type: 'PROVIDER_A',
    path: '/v1',
    models: {
      'a-chat': 'chat',
      'a-embed': 'embeddings',
      'a-draw': 'image',
      'a-judge': 'moderation',
      'a-hear': 'transcription',
      'a-speak': 'tts',
    },
  },
  { type: 'PROVIDER_B', path: '', models: { 'b-chat': 'chat' } },
  { type: 'PROVIDER_C', path: '', models: { 'c-chat': 'chat', 'c-embed': 'embeddings' } },
  {
    type: 'PROVIDER_D',
    path: '/v1',
    models: { 'd-chat': 'chat', 'd-embed': 'embeddings', 'd-hear': 'transcription' },
  },
  {
    type: 'PROVIDER_F',
    path: '',
    apiVersion: '2026-01-01',
    models: { 'f-chat': 'chat', 'f-embed': 'embeddings' },
  },
];

async function everyProvider(): Promise<{ tenant: Tenant; key: string }> {
  const made = await newTenant(gateway);
  const modelIds: string[] = [];
  for (const { type, path, models, ...over } of PROVIDERS) {
    const provider = await made.create('providers', {
      name: type,
      type,
      baseUrl: `${gateway.simulatorUrl}${path}`,
      apiKey: `sk-sim-${made.slug}`,
      ...over,
    });
    for (const [name, modelType] of Object.entries(models)) {
      const more = { providerId: provider.id, type: modelType, prices };
      modelIds.push(await made.model(name, `sim-${name}`, more));
    }
  }
  return { tenant: made, key: (await made.key({ modelIds })).key };
}

beforeAll(async () => {
  gateway = await sharedGateway();
  ({ tenant, key } = await everyProvider());
});

interface Row {
  readonly path: string;
  readonly model: string;
  readonly operation: string;
  readonly body: object;
  /** The files of a form, whose fields are the body. */
  readonly files?: Readonly<Record<string, Blob>>;
  /** The upstream reports no usage. */
  readonly estimated?: true;
  /** Costs the price per request, or nothing. */
  readonly costs?: 'request' | 'nothing';
}

const messages = [{ role: 'user', content: 'Hello there' }];
const contents = [{ role: 'user', parts: [{ text: 'Hello there' }] }];
const embedding = {
  embedContent: { content: contents[0] },
  batchEmbedContents: { requests: [{ content: contents[0] }, { content: contents[0] }] },
};
const sound = (): Blob => new Blob([new Uint8Array(40_000)], { type: 'audio/mpeg' });
const picture = (): Blob => new Blob([new Uint8Array(500)], { type: 'image/png' });
const drawn = { prompt: 'A tree', n: 2 };
const stream_options = { include_usage: true };

const hearing = (prefix: string, model: string): Row[] =>
  (['transcription', 'translation'] as const).map((operation) => ({
    path: `${prefix}/audio/${operation}s`,
    model,
    operation,
    body: {},
    files: { file: sound() },
    // The answer to a translation has no duration.
    ...(operation === 'translation' ? { estimated: true as const } : {}),
  }));

const own = (prefix: string): Row[] =>
  [
    { path: 'chat/completions', model: 'd-chat', operation: 'chat', body: { messages } },
    { path: 'completions', model: 'd-chat', operation: 'completions', body: { prompt: 'Hello' } },
    { path: 'responses', model: 'd-chat', operation: 'responses', body: { input: 'Hello' } },
    { path: 'embeddings', model: 'd-embed', operation: 'embeddings', body: { input: ['a', 'b'] } },
    ...hearing('', 'd-hear').map((row) => ({ ...row, path: row.path.slice(1) })),
    { path: 'tokenize', model: 'd-chat', operation: 'tokenize', body: { prompt: 'Hello' } },
    { path: 'detokenize', model: 'd-chat', operation: 'detokenize', body: { tokens: [1, 2] } },
    { path: 'pooling', model: 'd-embed', operation: 'pooling', body: { input: 'Hello' } },
    { path: 'classify', model: 'd-embed', operation: 'classify', body: { input: 'Hello' } },
    {
      path: 'score',
      model: 'd-embed',
      operation: 'score',
      body: { queries: 'Hello', documents: ['a', 'b'] },
    },
    {
      path: 'rerank',
      model: 'd-embed',
      operation: 'rerank',
      body: { query: 'Hello', documents: ['a', 'b'] },
    },
  ].map((row) => ({
    ...row,
    path: `${prefix}/${row.path}`,
    ...(row.operation.endsWith('tokenize') ? { costs: 'request' as const } : {}),
  }));

const generate = (prefix: string): Row[] => [
  ...['c-chat', 'b-chat', 'a-chat'].map((model) => ({
    path: `${prefix}/models/${model}:generateContent`,
    model,
    operation: 'chat',
    body: { contents },
  })),
  ...['', '?alt=sse'].map((query) => ({
    path: `${prefix}/models/c-chat:streamGenerateContent${query}`,
    model: 'c-chat',
    operation: 'chat',
    body: { contents },
  })),
  {
    path: `${prefix}/models/c-chat:countTokens`,
    model: 'c-chat',
    operation: 'count_tokens',
    body: { contents },
    costs: 'nothing',
  },
  ...['c-embed', 'a-embed', 'f-embed', 'd-embed'].flatMap((model) =>
    Object.entries(embedding).map(([method, body]) => ({
      path: `${prefix}/models/${model}:${method}`,
      model,
      operation: 'embeddings',
      body,
    })),
  ),
];

const ROWS: readonly Row[] = [
  { path: '/v1/llm/chat', model: 'b-chat', operation: 'chat', body: { messages } },
  ...['a-chat', 'f-chat'].map((model) => ({
    path: '/v1/chat/completions',
    model,
    operation: 'chat',
    body: { messages, stream: true, stream_options },
  })),
  ...['a-chat', 'f-chat'].map((model) => ({
    path: '/v1/responses',
    model,
    operation: 'responses',
    body: { input: 'Hello there' },
  })),
  {
    path: '/v1/completions',
    model: 'a-chat',
    operation: 'completions',
    body: { prompt: ['Hello', 'there'], max_tokens: 5 },
  },
  {
    path: '/v1/completions',
    model: 'a-chat',
    operation: 'completions',
    body: { prompt: 'Hello', stream: true },
  },
  ...['a-embed', 'f-embed'].map((model) => ({
    path: '/v1/embeddings',
    model,
    operation: 'embeddings',
    body: { input: 'Hello there' },
  })),
  { path: '/v1/images/generations', model: 'a-draw', operation: 'image_generation', body: drawn },
  {
    path: '/v1/images/edits',
    model: 'a-draw',
    operation: 'image_edit',
    body: { prompt: 'A tree' },
    files: { image: picture() },
  },
  {
    path: '/v1/images/variations',
    model: 'a-draw',
    operation: 'image_variation',
    body: {},
    files: { image: picture() },
  },
  {
    path: '/v1/moderations',
    model: 'a-judge',
    operation: 'moderation',
    body: { input: 'Hello' },
    estimated: true,
  },
  {
    path: '/v1/audio/speech',
    model: 'a-speak',
    operation: 'speech',
    body: { input: 'Hello there', voice: 'alloy' },
    estimated: true,
  },
  {
    path: '/v1/audio/speech',
    model: 'a-speak',
    operation: 'speech',
    body: { input: 'Hello there', voice: 'alloy', stream_format: 'sse' },
  },
  ...hearing('/v1', 'a-hear'),
  ...['b-chat', 'c-chat', 'a-chat', 'd-chat'].map((model) => ({
    path: '/v1/messages',
    model,
    operation: 'chat',
    body: { messages, max_tokens: 50 },
  })),
  ...['b-chat', 'c-chat', 'a-chat'].map((model): Row => ({
    path: '/v1/messages/count_tokens',
    model,
    operation: 'count_tokens',
    body: { messages },
    costs: 'nothing',
  })),
  ...generate('/v1beta'),
  ...generate('/v1'),
  ...own('/v1/vllm'),
  ...own('/v1/provider_d'),
];

const names = ROWS.map((row) => [`${row.path} by ${row.model}`, row] as const);

function send(apiKey: string, { path, model, body, files }: Row): Promise<AxiosResponse> {
  const settings = {
    headers: { authorization: `Bearer ${apiKey}` },
    validateStatus: () => true,
    timeout: 60_000,
    responseType: 'text' as const,
    transformResponse: (text: unknown) => text,
  };
  const url = gateway.edgeUrl() + path;
  const asked = path.includes(':') ? body : { model, ...body };
  if (files === undefined) return axios.post(url, asked, settings);
  const form = new FormData();
  for (const [name, value] of Object.entries(asked)) form.append(name, String(value));
  for (const [name, file] of Object.entries(files)) form.append(name, file, `${name}.bin`);
  return axios.post(url, form, settings);
}

type Tokens = Readonly<Record<string, number>>;

interface BillLine {
  readonly apiKey: string;
  readonly model: string;
  readonly usage: Tokens;
  readonly units: {
    readonly images?: { readonly count: number };
    readonly audioSeconds?: number;
    readonly characters?: number;
  };
}

async function billed(slug: string): Promise<BillLine[]> {
  const answer = await fetch(`${gateway.simulatorUrl}/_sim/bill`);
  const { requests } = (await answer.json()) as { requests: BillLine[] };
  return requests.filter(({ apiKey }) => apiKey === `sk-sim-${slug}`);
}

interface RecordDetail {
  readonly operation: string;
  readonly route: string;
  readonly outcome: string;
  readonly usageQuality: string;
  readonly costUsd: string;
  readonly tokens: Tokens;
}

async function detailOf(answer: AxiosResponse): Promise<RecordDetail> {
  return (await recordOf(gateway, tenant, requestIdOf(answer))) as RecordDetail;
}

/** The amount of a bill's line at this file's prices, in nano-USD. */
function costOf({ usage, units }: BillLine): number {
  const tokens = CLASSES.reduce((sum, name) => sum + (usage[name] ?? 0) * RATES[name], 0);
  const pieces =
    (units.images?.count ?? 0) * UNITS.image +
    (units.audioSeconds ?? 0) * UNITS.audio_second +
    (units.characters ?? 0) * UNITS.character;
  return tokens + pieces + REQUEST_NANO;
}

test.each(names)('%s is served, and booked as the upstream bills it', async (_, row) => {
  const before = (await billed(tenant.slug)).length;
  const answer = await send(key, row);
  expect({ status: answer.status, body: answer.status === 200 ? '' : answer.data }).toEqual({
    status: 200,
    body: '',
  });
  const record = await detailOf(answer);
  expect(record).toMatchObject({
    operation: row.operation,
    outcome: 'COMPLETED',
    usageQuality: row.estimated ? 'ESTIMATED' : 'EXACT',
  });
  const cost = Math.round(Number(record.costUsd) * 1e9);
  if (row.costs === 'nothing') return expect(cost).toBe(0);
  if (row.costs === 'request') return expect(cost).toBe(REQUEST_NANO);
  const [line, ...more] = (await billed(tenant.slug)).slice(before);
  if (line === undefined || more.length > 0) throw new Error('not one line on the bill');
  if (row.estimated) return expect(cost).toBeGreaterThan(REQUEST_NANO);
  for (const name of CLASSES) {
    expect([name, record.tokens[name]]).toEqual([name, line.usage[name]]);
  }
  expect(cost).toBe(costOf(line));
});

describe('with an exhausted budget', () => {
  let poor: { tenant: Tenant; key: string };

  beforeAll(async () => {
    poor = await everyProvider();
    await poor.tenant.create('budgets', {
      scope: { type: 'ORGANISATION', id: poor.tenant.id },
      period: 'MONTHLY',
      limitUsd: '0.000000001',
      mode: 'HARD',
    });
  });

  const free = names.filter(([, { costs }]) => costs === 'nothing');
  const costly = names.filter((one) => !free.includes(one));

  test.each(costly)('%s is 402', async (_, row) => {
    const answer = await send(poor.key, row);
    expect(answer.status).toBe(402);
    expect(String(answer.data)).toContain('budget_exceeded');
    expect(answer.headers['x-should-retry']).toBe('false');
  });

  test('no upstream receives a request', async () => {
    expect(await billed(poor.tenant.slug)).toEqual([]);
  });

  test.each(free)('%s costs nothing, and is served', async (_, row) => {
    expect((await send(poor.key, row)).status).toBe(200);
  });
});

describe('a route that is fixed to a provider', () => {
  test.each([
    ['/v1/chat/completions', 'b-chat', { messages }],
    ['/v1/chat/completions', 'd-chat', { messages }],
    ['/v1/embeddings', 'd-embed', { input: 'x' }],
    ['/v1/vllm/chat/completions', 'a-chat', { messages }],
    ['/v1/vllm/embeddings', 'a-embed', { input: 'x' }],
  ])('%s does not serve %s', async (path, model, body) => {
    const answer = await send(key, { path, model, operation: '', body });
    expect(answer.status).toBe(400);
    expect(String(answer.data)).toContain('provider_mismatch');
    expect(String(answer.data)).toContain('openCompatRoutes');
  });

  test('a model does not serve operations of another type', async () => {
    const body = { messages };
    const answer = await send(key, {
      path: '/v1/chat/completions',
      model: 'a-embed',
      operation: '',
      body,
    });
    expect(answer.status).toBe(400);
    expect(String(answer.data)).toContain('unsupported_model');
  });
});

test('a thousand documents are counted, and sent unchanged', async () => {
  const documents = Array.from({ length: 1_000 }, (_, n) => `document ${n}`);
  const answer = await send(key, {
    path: '/v1/vllm/rerank',
    model: 'd-embed',
    operation: 'rerank',
    body: { query: 'which', documents, top_n: 3 },
  });
  expect(answer.status).toBe(200);
  const { results } = JSON.parse(String(answer.data)) as { results: unknown[] };
  expect(results).toHaveLength(3);
});

test('a pooling answer in bytes passes unchanged', async () => {
  const answer = await axios.post(
    `${gateway.edgeUrl()}/v1/vllm/pooling`,
    { model: 'd-embed', input: 'Hello', encoding_format: 'bytes' },
    { headers: { authorization: `Bearer ${key}` }, responseType: 'arraybuffer' },
  );
  expect(answer.headers['content-type']).toContain('application/octet-stream');
  expect((answer.data as Buffer).length).toBeGreaterThan(0);
  expect((await detailOf(answer)).tokens['input']).toBeGreaterThan(0);
});

test('a large upload is served, and leaves nothing behind', async () => {
  const answer = await send(key, {
    path: '/v1/audio/transcriptions',
    model: 'a-hear',
    operation: 'transcription',
    body: {},
    files: { file: new Blob([new Uint8Array(20_000_000)], { type: 'audio/mpeg' }) },
  });
  expect(answer.status).toBe(200);
  expect(Number((await detailOf(answer)).costUsd) * 1e9).toBeCloseTo(
    1_250 * UNITS.audio_second + REQUEST_NANO,
  );
});
