import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';

import {
  billOf,
  chat,
  checkBooks,
  eventually,
  expectStatus,
  newTenant,
  recordOf,
  requestIdOf,
  startGateway,
  type Gateway,
  type Tenant,
} from '.';

// Kept answers, as the vendors' own SDKs read them, as the upstream bills them, and as the books have them.

/** One edge has the memory; a small store would hide what is kept. */
const EDGE = { RESPONSE_CACHE_ENTRY_BYTES: String(16 * 1024 * 1024) };
const CACHE = {
  responseCache: 'ON',
  responseCachePricePercent: 20,
  responseCacheTtlSeconds: 600,
};

let gateway: Gateway;
let tenant: Tenant;
let key: string;
let stop: () => Promise<void> = async () => undefined;

beforeAll(async () => {
  gateway = await startGateway({
    edges: 2,
    env: { edge: EDGE, policy: { LEASE_MS: '20000', SWEEP_INTERVAL_MS: '200' } },
  });
  stop = gateway.stop;
  tenant = await newTenant(gateway, { organisation: CACHE });
  key = (await tenant.key()).key;
});
afterAll(() => stop());

const url = () => gateway.edgeUrl();
const bills = async (of: Tenant = tenant) => (await billOf(gateway, of)).length;
let question = 0;
const fresh = () => `Tell me about number ${String((question += 1))}`;

interface Answer {
  readonly text: string;
  readonly cache: string | null;
  readonly output: number | undefined;
}
type Ask = (content: string) => Promise<Answer>;

const openai = () => new OpenAI({ baseURL: `${url()}/v1`, apiKey: key });
const anthropic = () => new Anthropic({ baseURL: url(), apiKey: key });
const cacheOf = ({ headers }: { headers: Headers }) => headers.get('x-tollgate-cache');

const chatOnce: Ask = async (content) => {
  const asked = { model: 'chat', messages: [{ role: 'user' as const, content }] };
  const { data, response } = await openai().chat.completions.create(asked).withResponse();
  const text = data.choices[0]?.message.content ?? '';
  return { text, cache: cacheOf(response), output: data.usage?.completion_tokens };
};

const chatStream: Ask = async (content) => {
  const { data, response } = await openai()
    .chat.completions.create({
      model: 'chat',
      messages: [{ role: 'user', content }],
      stream: true,
      stream_options: { include_usage: true },
    })
    .withResponse();
  let text = '';
  let output: number | undefined;
  for await (const { choices, usage } of data) {
    text += choices[0]?.delta.content ?? '';
    output = usage?.completion_tokens ?? output;
  }
  return { text, cache: cacheOf(response), output };
};

const responsesOnce: Ask = async (input) => {
  const { data, response } = await openai()
    .responses.create({ model: 'chat', input, store: false })
    .withResponse();
  return { text: data.output_text, cache: cacheOf(response), output: data.usage?.output_tokens };
};

const responsesStream: Ask = async (input) => {
  const { data, response } = await openai()
    .responses.create({ model: 'chat', input, store: false, stream: true })
    .withResponse();
  let text = '';
  let output: number | undefined;
  for await (const event of data) {
    if (event.type === 'response.output_text.delta') text += event.delta;
    if (event.type === 'response.completed') output = event.response.usage?.output_tokens;
  }
  return { text, cache: cacheOf(response), output };
};

const message = (content: string) => ({
  model: 'chat',
  max_tokens: 500,
  messages: [{ role: 'user' as const, content }],
});

const messagesOnce: Ask = async (content) => {
  const { data, response } = await anthropic().messages.create(message(content)).withResponse();
  const [block] = data.content;
  const text = block?.type === 'text' ? block.text : '';
  return { text, cache: cacheOf(response), output: data.usage.output_tokens };
};

const messagesStream: Ask = async (content) => {
  const stream = anthropic().messages.stream(message(content));
  const { response } = await stream.withResponse();
  const data = await stream.finalMessage();
  const [block] = data.content;
  const text = block?.type === 'text' ? block.text : '';
  return { text, cache: cacheOf(response), output: data.usage.output_tokens };
};

// The SDK's own dispatcher needs a global that tests do not have.
const fetchAsIs: typeof fetch = (input, init) => fetch(input, init);
const genai = () =>
  new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: url(), fetch: fetchAsIs } });

const generateOnce: Ask = async (contents) => {
  const data = await genai().models.generateContent({ model: 'chat', contents });
  const cache = data.sdkHttpResponse?.headers?.['x-tollgate-cache'] ?? null;
  return { text: data.text ?? '', cache, output: data.usageMetadata?.candidatesTokenCount };
};

const generateStream: Ask = async (contents) => {
  let text = '';
  let cache: string | null = null;
  let output: number | undefined;
  for await (const one of await genai().models.generateContentStream({ model: 'chat', contents })) {
    text += one.text ?? '';
    cache = one.sdkHttpResponse?.headers?.['x-tollgate-cache'] ?? cache;
    output = one.usageMetadata?.candidatesTokenCount ?? output;
  }
  return { text, cache, output };
};

const WAYS: readonly (readonly [string, Ask])[] = [
  ['OpenAI chat', chatOnce],
  ['OpenAI chat, streamed', chatStream],
  ['OpenAI responses', responsesOnce],
  ['OpenAI responses, streamed', responsesStream],
  ['Anthropic messages', messagesOnce],
  ['Anthropic messages, streamed', messagesStream],
  ['Gemini generate', generateOnce],
  ['Gemini generate, streamed', generateStream],
];

/** Asks until an answer is kept: it is written after the client has it. */
async function untilHit(ask: Ask, content: string): Promise<Answer> {
  return eventually('a hit', async () => {
    const answer = await ask(content);
    return answer.cache === 'hit' && answer;
  });
}

test.each(WAYS)(
  '%s: a kept answer reads as the first one, and is billed by nobody',
  async (...way) => {
    const [, ask] = way;
    const content = fresh();
    const first = await ask(content);
    expect(first).toMatchObject({ cache: 'miss', text: expect.stringMatching(/\w/) });
    expect(first.output).toBeGreaterThan(0);
    const hit = await untilHit(ask, content);
    const billed = await bills();
    expect(await ask(content)).toEqual(hit);
    expect(await bills()).toBe(billed);
    // A second answer of a provider was kept if the first was not written in time; the simulator repeats itself.
    expect([hit.text, hit.output]).toEqual([first.text, first.output]);
  },
);

test('its record has its share to the nano-dollar, and the books agree', async () => {
  const body = { messages: [{ role: 'user', content: fresh() }] };
  const first = expectStatus(await chat(url(), key, body), 200);
  const hit = await eventually('a hit', async () => {
    const answer = expectStatus(await chat(url(), key, body), 200);
    return answer.headers['x-tollgate-cache'] === 'hit' && answer;
  });
  const miss = (await recordOf(gateway, tenant, requestIdOf(first))) as Recorded;
  const record = (await recordOf(gateway, tenant, requestIdOf(hit))) as Recorded;
  const [full, share] = [miss.costUsd, record.costUsd].map((usd) => Math.round(Number(usd) * 1e9));
  expect(miss).toMatchObject({ responseCache: 'MISS', cachedCostUsd: null });
  expect(record).toMatchObject({
    responseCache: 'HIT',
    cachedCostUsd: miss.costUsd,
    attempts: [],
    priceId: null,
    regions: 'none',
    tokens: { input: 0, output: 0 },
  });
  expect(full).toBeGreaterThan(0);
  expect(share).toBe(Math.floor(((full ?? 0) * 20) / 100));
  const hits = await gateway.rest.get(`${tenant.base}/usage/records?responseCache=HIT&limit=100`);
  const ids = (hits.data as { data: { id: string }[] }).data.map(({ id }) => id);
  expect(ids).toContain(requestIdOf(hit));
  expect(ids).not.toContain(requestIdOf(first));
  const explored = await gateway.rest.get(`${tenant.base}/usage/explore?groupBy=response-cache`);
  const { groups } = expectStatus(explored, 200).data as { groups: Grouped[] };
  const requestsOf = (id: string) => groups.find(({ group }) => group.id === id)?.totals.requests;
  expect(requestsOf('HIT')).toBeGreaterThan(0);
  expect(requestsOf('MISS')).toBeGreaterThan(0);
  expect(await checkBooks(gateway)).toMatchObject({ ok: true, breaches: [] });
});

interface Grouped {
  readonly group: { readonly id: string | null };
  readonly totals: { readonly requests: number };
}

interface Recorded {
  readonly costUsd: string;
}

test('another organisation, and this one after its answers were deleted, ask the provider', async () => {
  const body = { messages: [{ role: 'user', content: fresh() }] };
  const of = async (apiKey: string) => {
    const answer = expectStatus(await chat(url(), apiKey, body), 200);
    return String(answer.headers['x-tollgate-cache']);
  };
  await eventually('a hit', async () => (await of(key)) === 'hit');
  const stranger = await newTenant(gateway, { organisation: CACHE });
  expect(await of((await stranger.key()).key)).toBe('miss');
  // Another key of the organisation shares it; one that has switched it off does not.
  expect(await of((await tenant.key()).key)).toBe('hit');
  expect(await of((await tenant.key({ responseCache: 'OFF' })).key)).toBe('undefined');
  const cleared = await gateway.rest.post(`${tenant.base}/response-cache/clear`);
  expect(expectStatus(cleared, 200).data).toEqual({ generation: 1 });
  await eventually('a miss', async () => (await of(key)) === 'miss');
  const trail = await gateway.rest.get(
    `${tenant.base}/audit-events?action=organisation.clear-response-cache`,
  );
  expect((trail.data as { data: unknown[] }).data).toHaveLength(1);
});

/** An answer that no socket takes at once. */
const LONG_CHARACTERS = 12 * 1024 * 1024;

function longAnswers(): Promise<Server> {
  const body = JSON.stringify({
    id: 'chatcmpl-long',
    object: 'chat.completion',
    created: 1_700_000_000,
    model: 'long',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: 'x'.repeat(LONG_CHARACTERS) },
        finish_reason: 'stop',
      },
    ],
    usage: { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 },
  });
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(body);
    });
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

test('an edge that is killed in the middle of a replay leaves the books right', async () => {
  const upstream = await longAnswers();
  try {
    const { port } = upstream.address() as AddressInfo;
    const own = await newTenant(gateway, {
      organisation: CACHE,
      provider: { baseUrl: `http://127.0.0.1:${String(port)}/v1` },
    });
    const { id, key: ownKey } = await own.key();
    const edge = gateway.edgeUrl(1);
    await eventually('a hit', async () => {
      const answer = expectStatus(await chat(edge, ownKey), 200);
      return answer.headers['x-tollgate-cache'] === 'hit';
    });
    const head = await replayUnread(edge, ownKey);
    expect(head).toContain('x-tollgate-cache: hit');
    const requestId = /x-tollgate-request-id: (\S+)/.exec(head)?.[1] ?? '';
    gateway.edges[1]?.process().signal('SIGKILL');
    const record = await eventually(
      'its hold has ended',
      async () => {
        const found = await gateway.rest.get(`${own.base}/usage/records/${requestId}`);
        return found.status === 200 && (found.data as { mode: string; apiKeyId: string });
      },
      120_000,
    );
    expect(record).toMatchObject({ mode: 'ABANDONED', apiKeyId: id });
    expect(await checkBooks(gateway)).toMatchObject({ ok: true, breaches: [] });
    await gateway.edges[1]?.restart();
  } finally {
    upstream.closeAllConnections();
    upstream.close();
  }
}, 300_000);

/** Sends a chat, reads the head of its answer, and then nothing more. */
function replayUnread(edge: string, apiKey: string): Promise<string> {
  const { hostname, port } = new URL(edge);
  const body = JSON.stringify({
    model: 'chat',
    messages: [{ role: 'user', content: 'Hello there' }],
  });
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  socket.write(
    [
      'POST /v1/chat/completions HTTP/1.1',
      `host: ${hostname}`,
      `authorization: Bearer ${apiKey}`,
      'content-type: application/json',
      `content-length: ${String(Buffer.byteLength(body))}`,
      '',
      body,
    ].join('\r\n'),
  );
  return new Promise((resolve, reject) => {
    let head = '';
    socket.on('data', (data: Buffer) => {
      head += data.toString('latin1');
      if (!head.includes('\r\n\r\n')) return;
      socket.pause();
      resolve(head.toLowerCase());
    });
    socket.on('close', () => reject(new Error('the edge closed the connection')));
  });
}
