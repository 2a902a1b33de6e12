import { formatUsd } from '@tollgate/contracts';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

import { answerJson, openSse } from '../test-support/fake-upstream';
import {
  allow,
  candidate,
  chat,
  KEY,
  startHarness,
  until,
  type Harness,
} from '../test-support/harness';

let h: Harness;
beforeAll(async () => {
  h = await startHarness();
});
beforeEach(() => h.reset());
afterAll(() => h.stop());

const named = (type: string, fields: object = {}) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
const data = (wire: object) => `data: ${JSON.stringify(wire)}\n\n`;
const chunk = (delta: object, finish: string | null = null) =>
  data({ id: 'c', choices: [{ index: 0, delta, finish_reason: finish }] });

const TEXT = 'Counting is what a gateway does for those who do not.';
const WORDS = TEXT.split(/(?= )/);
const OUTPUT = countTokens(TEXT);
const PROMPT = 'How many tokens has a stream that nobody counts?';
/** The tokens around the message and before the answer. */
const INPUT = countTokens(PROMPT) + 3 + 3;

type Upstream = 'openai' | 'anthropic' | 'gemini' | 'openai-responses' | 'vllm';

const CHAT = [
  chunk({ role: 'assistant', content: '' }),
  ...WORDS.map((content) => chunk({ content })),
  chunk({}, 'stop'),
  'data: [DONE]\n\n',
];

/** One stream in each format, without usage. */
const STREAMS = {
  openai: CHAT,
  vllm: CHAT,
  anthropic: [
    named('message_start', { message: { id: 'm', role: 'assistant', content: [], model: 'm' } }),
    named('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    ...WORDS.map((text) =>
      named('content_block_delta', { index: 0, delta: { type: 'text_delta', text } }),
    ),
    named('content_block_stop', { index: 0 }),
    named('message_delta', { delta: { stop_reason: 'end_turn', stop_sequence: null } }),
    named('message_stop'),
  ],
  gemini: WORDS.map((text, at) =>
    data({
      candidates: [
        {
          content: { parts: [{ text }], role: 'model' },
          ...(at === WORDS.length - 1 ? { finishReason: 'STOP' } : {}),
        },
      ],
    }),
  ),
  'openai-responses': [
    named('response.created', { response: { id: 'r', status: 'in_progress', output: [] } }),
    named('response.output_item.added', {
      output_index: 0,
      item: { id: 'i', type: 'message', role: 'assistant', content: [] },
    }),
    ...WORDS.map((delta) =>
      named('response.output_text.delta', { output_index: 0, content_index: 0, delta }),
    ),
    named('response.completed', { response: { id: 'r', status: 'completed', output: [] } }),
  ],
} satisfies Record<Upstream, string[]>;

const messages = [{ role: 'user', content: PROMPT }];
const MODEL_PATH = '/v1beta/models/house-model:streamGenerateContent';

/** The same request in each client format. */
const CLIENTS: Record<string, [path: string, body: object]> = {
  chat: ['/v1/chat/completions', chat({ messages, stream: true })],
  unified: ['/v1/llm/chat', chat({ messages, stream: true })],
  responses: ['/v1/responses', { model: 'house-model', input: PROMPT, stream: true }],
  messages: ['/v1/messages', chat({ messages, stream: true, max_tokens: 99 })],
  gemini: [`${MODEL_PATH}?alt=sse`, { contents: [{ role: 'user', parts: [{ text: PROMPT }] }] }],
};

const ways: [client: string, upstream: Upstream][] = [
  ['chat', 'openai'],
  ['chat', 'vllm'],
  ['chat', 'anthropic'],
  ['chat', 'gemini'],
  ['unified', 'openai'],
  ['messages', 'anthropic'],
  ['messages', 'openai'],
  ['gemini', 'gemini'],
  ['gemini', 'openai'],
  ['responses', 'openai'],
];

const via = (upstreamFormat: Upstream) => {
  const types = {
    anthropic: 'PROVIDER_B',
    gemini: 'PROVIDER_C',
    vllm: 'PROVIDER_D',
    openai: 'PROVIDER_A',
    'openai-responses': 'PROVIDER_A',
  } as const;
  const providerType = types[upstreamFormat];
  const format = upstreamFormat === 'openai-responses' ? 'openai' : upstreamFormat;
  h.policy.decide = () => allow([candidate({ providerType, upstreamFormat: format })]);
};

test.each(ways)(
  'a %s client of %s: a stream without usage is counted by the tokeniser, and marked',
  async (client, upstream) => {
    const [path, body] = CLIENTS[client] ?? ['', {}];
    via(upstream);
    const events = STREAMS[path === '/v1/responses' ? 'openai-responses' : upstream];
    h.upstream.script = (res) => {
      openSse(res);
      res.end(events.join(''));
    };
    const response = await h.post(path, body, { 'x-tollgate-stream-cost': 'true' });
    expect(response.status).toBe(200);
    const text = await response.text();
    const settled = await h.settled();
    expect(settled).toMatchObject({ outcome: 'COMPLETED', usageQuality: 'ESTIMATED' });
    expect(settled.usage).toMatchObject({ input: INPUT, output: OUTPUT });
    // At one dollar and two dollars per million tokens; the reported cost equals the booked one.
    expect(settled.costNanoUsd).toBe(String(INPUT * 1_000 + OUTPUT * 2_000));
    if (client === 'gemini') return;
    expect(text).toContain(`x-tollgate-cost-usd: ${formatUsd(BigInt(settled.costNanoUsd))}`);
  },
);

test('a client that disconnects within a stream is charged by the tokeniser’s count', async () => {
  h.upstream.script = (res) => {
    openSse(res);
    res.write(CHAT.slice(0, 6).join(''));
  };
  const leaving = new AbortController();
  const response = await fetch(`${h.edge.url}/v1/chat/completions`, {
    method: 'POST',
    signal: leaving.signal,
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify(CLIENTS['chat']?.[1]),
  });
  const reader = response.body?.getReader();
  let seen = '';
  while (!seen.includes(WORDS[4] ?? '?')) {
    const { value } = (await reader?.read()) ?? {};
    seen += Buffer.from(value ?? []).toString();
  }
  leaving.abort();
  await until(() => h.upstream.received[0]?.aborted === true, 'the upstream to be let go');
  const settled = await h.settled();
  expect(settled).toMatchObject({ outcome: 'CLIENT_CLOSED', usageQuality: 'ESTIMATED' });
  expect(settled.usage).toMatchObject({
    input: INPUT,
    output: countTokens(WORDS.slice(0, 5).join('')),
  });
});

test('an upstream with its own tokeniser is charged by its number of chunks', async () => {
  // Four characters each: one token for most servers, and more tokens than the gateway's tokeniser
  // counts.
  const pieces = 'You said: Hello there '.repeat(40).match(/.{1,4}/g) ?? [];
  expect(countTokens(pieces.join(''))).toBeLessThan(pieces.length);
  h.upstream.script = (res) => {
    openSse(res);
    for (const content of pieces) res.write(chunk({ content }));
    res.end(`${chunk({}, 'stop')}data: [DONE]\n\n`);
  };
  await (await h.post('/v1/chat/completions', chat({ messages, stream: true }))).text();
  expect((await h.settled()).usage).toMatchObject({ input: INPUT, output: pieces.length });
});

test('data in the socket when a client disconnects is counted, usage included', async () => {
  const stepwise = candidate({ outputInSteps: true, heldOutputTokens: 8, maxOutputTokens: 9_000 });
  h.policy.decide = () => allow([stepwise]);
  let write: (text: string) => Promise<void> = () => Promise.resolve();
  h.upstream.script = (res) => {
    openSse(res);
    write = (text) => new Promise((resolve) => res.write(text, () => resolve()));
    res.write(chunk({ role: 'assistant', content: '' }));
  };
  const leaving = new AbortController();
  const response = await fetch(`${h.edge.url}/v1/chat/completions`, {
    method: 'POST',
    signal: leaving.signal,
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify(CLIENTS['chat']?.[1]),
  });
  await response.body?.getReader().read();
  // Policy is frozen from here on, so the stream waits for its extension and reads nothing.
  h.policy.frozen = true;
  const frames = h.policy.frames.length;
  await write(chunk({ content: ' word' }).repeat(9));
  await until(() => h.policy.frames.length > frames, 'policy to be asked for more');
  await write(data({ id: 'c', choices: [], usage: { prompt_tokens: 70, completion_tokens: 90 } }));
  leaving.abort();
  await until(() => h.upstream.received[0]?.aborted === true, 'the upstream to be let go');
  h.policy.thaw();
  const settled = await h.settled();
  expect(settled).toMatchObject({ outcome: 'CLIENT_CLOSED', usage: { input: 70, output: 90 } });
});

test('a stream that is stopped by its budget reports its charge', async () => {
  const stepwise = candidate({ outputInSteps: true, heldOutputTokens: 8, maxOutputTokens: 9_000 });
  h.policy.decide = () => allow([stepwise]);
  h.policy.extend = () => ({ granted: false, denial: { code: 'budget_exceeded' } });
  h.upstream.script = (res) => {
    openSse(res);
    const more = setInterval(() => res.write(chunk({ content: ' word' })), 1);
    res.on('close', () => clearInterval(more));
    res.write(chunk({ role: 'assistant', content: '' }));
  };
  const body = chat({ messages, stream: true, stream_options: { include_usage: true } });
  const text = await (await h.post('/v1/chat/completions', body)).text();
  const { outcome, usage, usageQuality } = await h.settled();
  expect({ outcome, usageQuality }).toEqual({
    outcome: 'BUDGET_STOPPED',
    usageQuality: 'ESTIMATED',
  });
  expect(usage?.input).toBe(INPUT);
  expect(text).toContain(`"completion_tokens":${usage?.output}`);
});

/** The same answer, unary. */
const WHOLE = {
  openai: { id: 'c', choices: [{ index: 0, message: { content: TEXT }, finish_reason: 'stop' }] },
  vllm: { id: 'c', choices: [{ index: 0, message: { content: TEXT }, finish_reason: 'stop' }] },
  anthropic: {
    id: 'm',
    type: 'message',
    role: 'assistant',
    content: [{ type: 'text', text: TEXT }],
    stop_reason: 'end_turn',
  },
  gemini: {
    candidates: [{ content: { parts: [{ text: TEXT }], role: 'model' }, finishReason: 'STOP' }],
  },
  'openai-responses': {
    id: 'r',
    object: 'response',
    status: 'completed',
    output: [
      {
        id: 'i',
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: TEXT, annotations: [] }],
      },
    ],
  },
} satisfies Record<Upstream, object>;

test.each(ways)(
  'a %s client of %s: a unary answer without usage is counted by the tokeniser, and marked',
  async (client, upstream) => {
    const [path, body] = CLIENTS[client] ?? ['', {}];
    via(upstream);
    const wire = WHOLE[path === '/v1/responses' ? 'openai-responses' : upstream];
    h.upstream.script = (res) => answerJson(res, wire);
    const whole = path.replace(':streamGenerateContent?alt=sse', ':generateContent');
    const response = await h.post(whole, { ...body, stream: undefined });
    expect(response.status).toBe(200);
    expect(await response.text()).toContain(TEXT);
    const settled = await h.settled();
    expect(settled).toMatchObject({ outcome: 'COMPLETED', usageQuality: 'ESTIMATED' });
    expect(settled.usage).toMatchObject({ input: INPUT, output: OUTPUT });
    expect(settled.costNanoUsd).toBe(String(INPUT * 1_000 + OUTPUT * 2_000));
    expect(response.headers.get('x-tollgate-cost-usd')).toBe(
      formatUsd(BigInt(settled.costNanoUsd)),
    );
  },
);

test('a unary completion without counts, or with counts of zero, is counted', async () => {
  h.policy.decide = () =>
    allow([candidate({ providerType: 'PROVIDER_D', upstreamFormat: 'vllm' })]);
  const usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
  h.upstream.script = (res) =>
    answerJson(res, { id: 'c', choices: [{ text: TEXT, finish_reason: 'stop' }], usage });
  const body = { model: 'house-model', prompt: [PROMPT, PROMPT] };
  await (await h.post('/v1/vllm/completions', body)).text();
  expect(await h.settled()).toMatchObject({
    usageQuality: 'ESTIMATED',
    usage: { input: 2 * countTokens(PROMPT), output: OUTPUT },
  });
});

test('plain completions are counted in the same way', async () => {
  h.policy.decide = () =>
    allow([candidate({ providerType: 'PROVIDER_D', upstreamFormat: 'vllm' })]);
  h.upstream.script = (res) => {
    openSse(res);
    for (const text of WORDS) res.write(data({ id: 'c', choices: [{ index: 0, text }] }));
    res.end('data: [DONE]\n\n');
  };
  const body = { model: 'house-model', prompt: [PROMPT, PROMPT], stream: true };
  await (await h.post('/v1/vllm/completions', body)).text();
  expect(await h.settled()).toMatchObject({
    usageQuality: 'ESTIMATED',
    usage: { input: 2 * countTokens(PROMPT), output: OUTPUT },
  });
});

test('the provider’s own count takes precedence', async () => {
  h.upstream.script = (res) => {
    openSse(res);
    const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };
    res.end(CHAT.slice(0, -1).join('') + data({ id: 'c', choices: [], usage }) + CHAT.at(-1));
  };
  await (await h.post(...(CLIENTS['chat'] ?? ['', {}]))).text();
  expect(await h.settled()).toMatchObject({
    usageQuality: 'EXACT',
    usage: { input: 3, output: 4 },
  });
});
