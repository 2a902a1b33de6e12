// Kept answers: which requests get one, what the client sees, what is booked, and what is never kept.

import type { ResponseCache } from '@tollgate/contracts/node';

import { CANARY, screens } from '../screening/test-support/rules';
import { connection } from '../test-support/fake-catalog';
import { ORGANISATION } from '../test-support/fake-policy';
import {
  answerJson,
  chunk,
  completion,
  delta,
  DONE,
  errorAnswer,
  openSse,
  role,
  streamed,
  USAGE,
  usageChunk,
  type Script,
} from '../test-support/fake-upstream';
import {
  allow,
  candidate,
  chat,
  errorOf,
  MODEL,
  startHarness,
  until,
  type Harness,
} from '../test-support/harness';

let h: Harness;
beforeAll(async () => {
  h = await startHarness({ RESPONSE_CACHE_ENTRY_BYTES: 256 * 1024 });
});
beforeEach(() => h.reset());
afterAll(() => h.stop());

const ON: ResponseCache = { mode: 'ON', ttlSeconds: 60, pricePercent: 25, generation: 0 };

interface Decided {
  cache?: ResponseCache | null;
  organisationId?: string;
  model?: object;
  over?: object;
}

/** Policy allows requests of keys with this setting. */
function decide({
  cache = ON,
  organisationId = ORGANISATION,
  model = {},
  over = {},
}: Decided = {}) {
  const reply = allow([candidate(model)]);
  const subject = { organisationId, apiKeyId: '01990000-0000-7000-8000-00000000000a' };
  h.policy.decide = () => ({
    allow: { ...reply.allow, subject, responseCache: cache, heldNanoUsd: '1000000', ...over },
  });
}

const PATH = '/v1/chat/completions';
let question = 0;
/** A request that no test before has sent. */
function fresh(over: object = {}) {
  question += 1;
  return chat({ messages: [{ role: 'user', content: `question ${String(question)}` }], ...over });
}

async function ask(body: object, headers: Record<string, string> = {}, path = PATH) {
  const answer = await h.post(path, body, headers);
  const text = await answer.text();
  return {
    status: answer.status,
    text,
    cache: answer.headers.get('x-tollgate-cache'),
    reason: answer.headers.get('x-tollgate-cache-reason'),
    headers: answer.headers,
  };
}

async function stored(): Promise<number> {
  const text = await (await h.ops('/metrics')).text();
  return Number(/cache_answers_total\{[^}]*outcome="kept"[^}]*\} (\d+)/.exec(text)?.[1] ?? 0);
}

/** Sends a request whose answer is kept, and waits for that. */
async function keep(body: object, path = PATH, headers: Record<string, string> = {}) {
  const before = await stored();
  const answer = await ask(body, headers, path);
  expect([answer.status, answer.cache]).toEqual([200, 'miss']);
  const endMs = Date.now() + 10_000;
  while ((await stored()) === before) {
    if (Date.now() > endMs) throw new Error('the answer was not kept');
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  return answer;
}

const settles = () => h.policy.settled.length;

const MESSAGES = [{ role: 'user', content: 'Hi' }];
const upstreamAnswers: Script = (res, { body }) =>
  body['stream'] === true ? streamed(res, ['Hel', 'lo']) : completion(res, {});

const FORMATS = [
  ['chat', PATH, { model: MODEL, messages: MESSAGES }],
  ['unified', '/v1/llm/chat', { model: MODEL, messages: MESSAGES }],
  ['messages', '/v1/messages', { model: MODEL, messages: MESSAGES, max_tokens: 50 }],
  ['responses', '/v1/responses', { model: MODEL, input: 'Hi', store: false }],
] as const;
type Way = readonly [name: string, path: string, body: object];
const GEMINI = { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] };
const WAYS: readonly Way[] = [
  ...FORMATS.flatMap(([name, path, body]): Way[] => [
    [name, path, body],
    [`${name}, streamed`, path, { ...body, stream: true }],
  ]),
  ['gemini', `/v1beta/models/${MODEL}:generateContent`, GEMINI],
  ['gemini, as an array', `/v1beta/models/${MODEL}:streamGenerateContent`, GEMINI],
  ['gemini, streamed', `/v1beta/models/${MODEL}:streamGenerateContent?alt=sse`, GEMINI],
];

test.each(WAYS)('%s: the second answer is the first one, without a call', async (...way) => {
  const [name, path, body] = way;
  // Chat and Responses have models of their own at their endpoints; the others are translated.
  decide({ model: name.startsWith('responses') ? RESPONSES_BY_CHAT : {} });
  h.upstream.script = upstreamAnswers;
  const first = await keep(body, path);
  const second = await ask(body, {}, path);
  expect(second.cache).toBe('hit');
  expect(second.text).toBe(first.text);
  expect(second.headers.get('content-type')).toBe(first.headers.get('content-type'));
  expect(Number(second.headers.get('age'))).toBeGreaterThanOrEqual(0);
  expect(second.headers.get('x-tollgate-attempt')).toBe('0');
  expect(second.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
  expect(h.upstream.received).toHaveLength(1);
});

/** A server that speaks the chat format only. */
const RESPONSES_BY_CHAT = { providerType: 'CUSTOM' };

test('a hit costs its share, has no tokens of a provider, and no price list', async () => {
  decide();
  const body = fresh();
  await keep(body);
  const answer = await ask(body);
  await until(() => settles() === 2, 'both settles');
  const [miss, hit] = h.policy.settled;
  // 10 and 5 tokens at one and two dollars a million.
  expect(miss).toMatchObject({ responseCache: 'MISS', costNanoUsd: '20000', priceId: 'price-1' });
  expect(miss).toMatchObject({ cachedCostNanoUsd: '', cachedAgeSeconds: 0 });
  expect(hit).toMatchObject({
    responseCache: 'HIT',
    costNanoUsd: '5000',
    cachedCostNanoUsd: '20000',
    priceId: '',
    outcome: 'COMPLETED',
    httpStatus: 200,
    attempts: [],
    modelId: 'model-1',
    regions: 'none',
    stopReason: 'stop',
    usage: { input: 0, output: 0 },
  });
  expect(answer.headers.get('x-tollgate-cost-usd')).toBe('0.000005');
  expect(h.policy.heldNow()).toBe(0);
});

test('a hit is priced by the price list of today', async () => {
  decide({ cache: { ...ON, pricePercent: 100 } });
  const body = fresh();
  await keep(body);
  const step = { fromInputTokens: 0, input: '3000000000', output: '5000000000' };
  const price = { priceId: 'price-2', steps: [step] };
  decide({ cache: { ...ON, pricePercent: 100 }, model: { price } });
  expect((await ask(body)).headers.get('x-tollgate-cost-usd')).toBe('0.000055');
});

test('the arms of an experiment have answers of their own', async () => {
  h.upstream.script = upstreamAnswers;
  const armed = (arm: string) => ({
    over: { experiment: { experimentId: 'e-1', experiment: 'trial', arm } },
  });
  const body = fresh();
  decide(armed('control'));
  await keep(body);
  decide(armed('candidate'));
  expect((await ask(body)).cache).toBe('miss');
  decide();
  expect((await ask(body)).cache).toBe('miss');
  decide(armed('control'));
  expect((await ask(body)).cache).toBe('hit');
});

test('another organisation, and another generation, find nothing', async () => {
  decide();
  const body = fresh();
  await keep(body);
  decide({ organisationId: '01990000-0000-7000-8000-000000000002' });
  expect((await ask(body)).cache).toBe('miss');
  decide({ cache: { ...ON, generation: 1 } });
  expect((await ask(body)).cache).toBe('miss');
  decide();
  expect((await ask(body)).cache).toBe('hit');
});

test.each([
  ['the connection of its provider', { connectionVersion: 2 }],
  ['the name at its provider', { upstreamModel: 'gpt-other' }],
  ['the model', { modelId: 'model-2' }],
])('a change of %s is a miss', async (_, model) => {
  h.catalog.connections.set('provider-1:2', connection({ baseUrl: h.upstream.url, version: 2 }));
  decide();
  const body = fresh();
  await keep(body);
  decide({ model });
  expect((await ask(body)).cache).toBe('miss');
  expect(h.upstream.received).toHaveLength(2);
});

test('a key that policy refuses gets no kept answer', async () => {
  decide();
  const body = fresh();
  await keep(body);
  h.policy.decide = () => ({ denial: { code: 'budget_exceeded', message: 'spent' } });
  const answer = await ask(body);
  expect([answer.status, answer.cache]).toEqual([402, null]);
});

test('without the setting nothing is kept, and no header tells of a cache', async () => {
  decide({ cache: null });
  const body = fresh();
  expect((await ask(body)).cache).toBeNull();
  expect((await ask(body)).cache).toBeNull();
  expect(await ask(body, { 'x-tollgate-cache': 'on' })).toMatchObject({
    cache: 'bypass',
    reason: 'off',
  });
  expect(h.upstream.received).toHaveLength(3);
  await until(() => settles() === 3, 'the settles');
  expect(h.policy.settled.map(({ responseCache }) => responseCache)).toEqual(['', '', '']);
});

test('a request switches the cache off, asks for a new answer, or for a recent one', async () => {
  decide();
  const body = fresh();
  await keep(body);
  const off = await ask(body, { 'x-tollgate-cache': 'off' });
  expect([off.cache, off.reason]).toEqual(['bypass', 'off']);
  expect((await ask(body, { 'x-tollgate-cache-max-age': '0' })).cache).toBe('miss');
  expect((await ask(body, { 'x-tollgate-cache-max-age': '60' })).cache).toBe('hit');
  h.upstream.script = (res) => completion(res, { text: 'newer' });
  await keep(body, PATH, { 'x-tollgate-cache': 'refresh' });
  expect((await ask(body)).text).toContain('newer');
});

test('a key with ON_REQUEST uses it when the request asks', async () => {
  decide({ cache: { ...ON, mode: 'ON_REQUEST' } });
  const body = fresh();
  expect(await ask(body)).toMatchObject({ cache: 'bypass', reason: 'not_asked' });
  expect((await ask(body, { 'x-tollgate-cache': 'on' })).cache).toBe('miss');
});

test.each([
  ['x-tollgate-cache', 'yes'],
  ['x-tollgate-cache-max-age', '-1'],
  ['x-tollgate-cache-max-age', '604801'],
])('%s: %s is refused by name, before policy is asked', async (name, value) => {
  decide();
  const answer = await h.post(PATH, fresh(), { [name]: value });
  expect(answer.status).toBe(400);
  expect(await errorOf(answer)).toMatchObject({ code: 'invalid_request', param: name });
  expect(h.policy.authorized).toHaveLength(0);
});

const AUDIO = { voice: 'alloy', format: 'wav' };
const TOOL = { type: 'function', function: { name: 'pay', parameters: { type: 'object' } } };
test.each([
  ['tools', PATH, { tools: [TOOL] }, 'tools'],
  ['functions', PATH, { functions: [{ name: 'pay' }] }, 'tools'],
  ['a search', PATH, { web_search_options: {} }, 'tools'],
  ['a stored completion', PATH, { store: true }, 'stored'],
  ['a spoken answer', PATH, { modalities: ['text', 'audio'], audio: AUDIO }, 'stored'],
  ['several answers', PATH, { n: 2 }, 'choices'],
  ['a large body', PATH, { user: 'x', stop: ['y'.repeat(600_000)] }, 'size'],
])('a request with %s does not use it', async (_, path, over, reason) => {
  decide();
  const answer = await ask(fresh(over), {}, path);
  expect([answer.cache, answer.reason]).toEqual(['bypass', reason]);
});

const response = {
  id: 'resp_1',
  object: 'response',
  status: 'completed',
  model: 'gpt-upstream',
  output: [],
  usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
};

test.each([
  ['a response that its provider stores', {}, 'stored'],
  [
    'a response that continues another one',
    { store: false, previous_response_id: 'resp_1' },
    'stored',
  ],
  // It may have tools.
  ['a stored prompt', { store: false, prompt: { id: 'pmpt_1' } }, 'tools'],
  [
    'a conversation that adds tools',
    {
      store: false,
      input: [
        { role: 'user', content: 'Hi' },
        { type: 'additional_tools', role: 'developer', tools: [{ type: 'function', name: 'pay' }] },
      ],
    },
    'tools',
  ],
])('%s does not use it', async (_, over, reason) => {
  decide();
  h.upstream.script = (res) => answerJson(res, response);
  const answer = await ask({ model: MODEL, input: 'Hi', ...over }, {}, '/v1/responses');
  expect([answer.cache, answer.reason]).toEqual(['bypass', reason]);
});

const finished =
  (reason: string, message: object = {}): Script =>
  (res) =>
    completion(res, {
      extra: {
        choices: [
          {
            index: 0,
            message: { role: 'assistant', content: 'Hel', ...message },
            finish_reason: reason,
          },
        ],
      },
    });
const call = { id: 'c', type: 'function', function: { name: 'pay', arguments: '{}' } };
const cut: Script = (res) => {
  openSse(res);
  res.write(role());
  res.write(delta('Hel'));
  res.end();
};
const faulty: Script = (res) => {
  openSse(res);
  res.write(role());
  res.write(delta('Hel'));
  res.end('data: {"error":{"message":"overloaded"}}\n\n');
};
const truncated: Script = (res) => {
  openSse(res);
  res.write(role());
  res.write(delta('Hel'));
  res.write(chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'length' }] }));
  res.write(usageChunk());
  res.end(DONE);
};

test.each<[string, Script, object, object]>([
  ['an error', (res) => errorAnswer(res, 400), {}, {}],
  ['an answer at its bound', finished('length'), {}, {}],
  ['a filtered answer', finished('content_filter'), {}, {}],
  ['a tool call', finished('tool_calls', { content: null, tool_calls: [call] }), {}, {}],
  ['a stream without its end', cut, { stream: true }, {}],
  ['a stream with an error', faulty, { stream: true }, {}],
  ['a stream at its bound', truncated, { stream: true }, {}],
  ['an answer with a bound that a budget lowered', upstreamAnswers, {}, { clamped: true }],
  ['a large answer', (res) => completion(res, { text: 'x'.repeat(300_000), usage: USAGE }), {}, {}],
])('%s is not kept', async (_, script, body, over) => {
  decide({ over });
  h.upstream.script = script;
  const same = fresh(body);
  await ask(same);
  h.upstream.script = upstreamAnswers;
  expect((await ask(same)).cache).toBe('miss');
  expect(h.upstream.received).toHaveLength(2);
});

test('the cost that a client asks for in a stream is that of its own request', async () => {
  decide();
  h.upstream.script = upstreamAnswers;
  const body = fresh({ stream: true });
  const asks = { 'x-tollgate-stream-cost': 'true' };
  const first = await keep(body, PATH, asks);
  expect(first.text).toContain(': x-tollgate-cost-usd: 0.00002\n');
  const plain = await ask(body);
  expect([plain.cache, plain.text.includes('cost-usd')]).toEqual(['hit', false]);
  const second = await ask(body, asks);
  expect(second.text).toContain(': x-tollgate-cost-usd: 0.000005\n');
  expect(second.text.endsWith(DONE)).toBe(true);
});

test('a request of another user, with its fields in another order, gets the answer', async () => {
  decide();
  const { messages, model } = fresh();
  await keep({ model, messages, user: 'ada', metadata: { ticket: '1' }, temperature: 0 });
  expect((await ask({ temperature: 0, user: 'bob', messages, model })).cache).toBe('hit');
  expect((await ask({ temperature: 1, user: 'bob', messages, model })).cache).toBe('miss');
});

test('a client that leaves a long replay is charged once, as one that left', async () => {
  decide();
  const text = 'x'.repeat(200_000);
  h.upstream.script = (res) => completion(res, { text, usage: USAGE });
  const body = fresh();
  await keep(body);
  const leaving = new AbortController();
  const answer = await fetch(h.edge.url + PATH, {
    method: 'POST',
    headers: { authorization: 'Bearer tg_test-key-0123456789', 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: leaving.signal,
  });
  expect(answer.headers.get('x-tollgate-cache')).toBe('hit');
  leaving.abort();
  await until(() => settles() === 2, 'both settles');
  expect(h.policy.settled[1]).toMatchObject({ responseCache: 'HIT', costNanoUsd: '5000' });
  expect(h.policy.heldNow()).toBe(0);
});

/** A screening policy applies to the requests of a key with the cache. */
function screened(action: 'BLOCK' | 'MASK'): void {
  screens(h, [{ action }]);
  const { decide: judged } = h.policy;
  const subject = { organisationId: ORGANISATION };
  h.policy.decide = (question) => {
    const { allow: decision } = judged(question);
    return { allow: { ...decision, subject, responseCache: ON } };
  };
}

test('a new version of a screening policy is a miss', async () => {
  screened('BLOCK');
  const body = fresh();
  await keep(body);
  expect((await ask(body)).cache).toBe('hit');
  screened('BLOCK');
  expect((await ask(body)).cache).toBe('miss');
});

test('a request that a rule blocks gets no kept answer', async () => {
  decide();
  const body = fresh({ messages: [{ role: 'user', content: CANARY }] });
  await keep(body);
  screened('BLOCK');
  const answer = await ask(body);
  expect([answer.status, answer.cache]).toEqual([403, null]);
});

test('a request that a rule masks does not use the cache', async () => {
  screened('MASK');
  const body = fresh({ messages: [{ role: 'user', content: `about ${CANARY}` }] });
  expect(await ask(body)).toMatchObject({ cache: 'bypass', reason: 'screening' });
});

test('an answer that a rule changes is not kept', async () => {
  screened('MASK');
  h.upstream.script = (res) => completion(res, { text: `it is ${CANARY}` });
  const body = fresh();
  expect((await ask(body)).cache).toBe('miss');
  expect((await ask(body)).cache).toBe('miss');
});
