import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

import { completion, delta, DONE, openSse, role, stop } from '../test-support/fake-upstream';
import { allow, candidate, chat, startHarness, until, type Harness } from '../test-support/harness';

let h: Harness;
beforeAll(async () => {
  h = await startHarness();
});
beforeEach(() => h.reset());
afterAll(() => h.stop());

const BOUND = 20;
/** One extra token per piece that is in flight while the output is counted. */
const IN_FLIGHT = 400;

const data = (wire: object): string => `data: ${JSON.stringify(wire)}\n\n`;
const named = (type: string, over: object = {}): string =>
  `event: ${type}\n${data({ type, ...over })}`;

type Upstream = 'openai' | 'anthropic' | 'gemini' | 'vllm' | 'openai-responses';

/** How each upstream starts, and one token of its output. */
const STREAMS: Record<Upstream, { begin: string; word: string }> = {
  openai: { begin: role(), word: delta(' word') },
  vllm: { begin: role(), word: delta(' word') },
  anthropic: {
    begin:
      named('message_start', {
        message: { id: 'm', model: 'm', usage: { input_tokens: 9, output_tokens: 1 } },
      }) + named('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    word: named('content_block_delta', { index: 0, delta: { type: 'text_delta', text: ' word' } }),
  },
  gemini: {
    begin: '',
    word: data({ candidates: [{ content: { parts: [{ text: ' word' }], role: 'model' } }] }),
  },
  'openai-responses': {
    begin:
      named('response.created', { response: { id: 'r', status: 'in_progress', output: [] } }) +
      named('response.output_item.added', {
        output_index: 0,
        item: { id: 'i', type: 'message', role: 'assistant', content: [] },
      }),
    word: named('response.output_text.delta', {
      output_index: 0,
      content_index: 0,
      delta: ' word',
    }),
  },
};

const TYPES = {
  openai: 'PROVIDER_A',
  'openai-responses': 'PROVIDER_A',
  anthropic: 'PROVIDER_B',
  gemini: 'PROVIDER_C',
  vllm: 'PROVIDER_D',
} as const;

/** An endless stream. */
function endless({ begin, word }: { begin: string; word: string }): void {
  h.upstream.script = (res) => {
    openSse(res);
    res.write(begin);
    const more = setInterval(() => res.write(word), 1);
    res.on('close', () => clearInterval(more));
  };
}

function bounded(upstream: Upstream, over: object = {}): void {
  h.policy.decide = () =>
    allow([
      candidate({
        providerType: TYPES[upstream],
        upstreamFormat: upstream === 'openai-responses' ? 'openai' : upstream,
        maxOutputTokens: BOUND,
        heldOutputTokens: BOUND,
        ...over,
      }),
    ]);
}

const messages = [{ role: 'user', content: 'Hi' }];
const CLIENTS: Record<string, [path: string, body: object, end: string]> = {
  chat: ['/v1/chat/completions', chat({ stream: true, max_tokens: BOUND }), '"length"'],
  unified: ['/v1/llm/chat', chat({ stream: true, max_tokens: BOUND }), '"length"'],
  responses: [
    '/v1/responses',
    { model: 'house-model', input: 'Hi', stream: true, max_output_tokens: BOUND },
    'max_output_tokens',
  ],
  messages: [
    '/v1/messages',
    { model: 'house-model', messages, stream: true, max_tokens: BOUND },
    '"max_tokens"',
  ],
  gemini: [
    '/v1beta/models/house-model:streamGenerateContent?alt=sse',
    {
      contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
      generationConfig: { maxOutputTokens: BOUND },
    },
    '"MAX_TOKENS"',
  ],
};

const WAYS: [client: string, upstream: Upstream][] = [
  ['chat', 'openai'],
  ['chat', 'vllm'],
  ['chat', 'anthropic'],
  ['chat', 'gemini'],
  ['unified', 'openai'],
  ['messages', 'anthropic'],
  ['messages', 'openai'],
  ['gemini', 'gemini'],
  ['gemini', 'openai'],
  ['responses', 'openai-responses'],
];

test.each(WAYS)(
  'a %s client of %s: a stream that exceeds its output bound ends as if at that bound',
  async (client, upstream) => {
    bounded(upstream);
    endless(STREAMS[upstream]);
    const [path, body, end] = CLIENTS[client] ?? ['', {}, ''];
    const response = await h.post(path, body);
    const text = await response.text();
    expect(response.status).toBe(200);
    expect(text).toContain(end);
    // The client gets at most one check interval beyond the bound.
    expect(text.split(' word').length - 1).toBeLessThanOrEqual(2 * BOUND);
    await until(() => h.upstream.received[0]?.aborted === true, 'the upstream to be let go');
    const settled = await h.settled();
    expect(settled).toMatchObject({
      outcome: 'BUDGET_STOPPED',
      usageQuality: 'ESTIMATED',
      attempts: [{ outcome: 'OVERLONG' }],
    });
    expect(Number(settled.usage?.output)).toBeGreaterThan(BOUND);
    expect(Number(settled.usage?.output)).toBeLessThan(BOUND + IN_FLIGHT);
    expect(h.log.join('')).toContain('provider exceeded the output bound');
  },
);

/** Claude Code shows a block only once it has stopped. */
test.each(['anthropic', 'openai'] as const)(
  'a messages client of %s gets the stop of the open block before the end of the message',
  async (upstream) => {
    bounded(upstream);
    endless(STREAMS[upstream]);
    const [path, body] = CLIENTS['messages'] ?? ['', {}];
    const text = await (await h.post(path, body)).text();
    const names = [...text.matchAll(/^event: (.+)$/gm)].map(([, name]) => name);
    expect(names.slice(-4)).toEqual([
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
    expect(text).toContain('data: {"type":"content_block_stop","index":0}');
  },
);

test('a completion that exceeds its bound ends with an error', async () => {
  bounded('openai');
  endless({ begin: '', word: data({ id: 'c', choices: [{ index: 0, text: ' word' }] }) });
  const body = { model: 'house-model', prompt: 'Hi', stream: true, max_tokens: BOUND };
  const text = await (await h.post('/v1/completions', body)).text();
  expect(text).toContain('more output than the request allows');
  expect(await h.settled()).toMatchObject({
    outcome: 'PARTIAL',
    usageQuality: 'ESTIMATED',
    attempts: [{ outcome: 'OVERLONG' }],
  });
});

test('a completion that echoes its prompt may be longer by the prompt', async () => {
  bounded('openai');
  const prompt = ' word'.repeat(200);
  h.upstream.script = (res) => {
    openSse(res);
    res.write(data({ id: 'c', choices: [{ index: 0, text: prompt }] }));
    for (let n = 0; n < BOUND; n += 1) {
      res.write(data({ id: 'c', choices: [{ index: 0, text: ' more' }] }));
    }
    res.end(DONE);
  };
  const body = { model: 'house-model', prompt, echo: true, stream: true, max_tokens: BOUND };
  const text = await (await h.post('/v1/completions', body)).text();
  expect(text.endsWith(DONE)).toBe(true);
  expect(await h.settled()).toMatchObject({ outcome: 'COMPLETED' });
});

test('output with running counts ends when the count exceeds the bound', async () => {
  bounded('gemini');
  const piece = (tokens: number): string =>
    data({
      candidates: [{ content: { parts: [{ text: 'a' }], role: 'model' } }],
      // Thinking is billed but not sent.
      usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 1, thoughtsTokenCount: tokens },
    });
  h.upstream.script = (res) => {
    openSse(res);
    let tokens = 0;
    const more = setInterval(() => res.write(piece((tokens += 100))), 1);
    res.on('close', () => clearInterval(more));
  };
  const [path, body] = CLIENTS['gemini'] ?? ['', {}];
  const text = await (await h.post(path, body)).text();
  expect(text).toContain('"MAX_TOKENS"');
  const { outcome, usage } = await h.settled();
  expect(outcome).toBe('BUDGET_STOPPED');
  expect(Number(usage?.output)).toBeGreaterThan(BOUND);
});

/** Texts whose running estimate is far above their count, each exactly as long as the bound. */
const HONEST: Record<string, string> = {
  'long words': ' internationalisation'.repeat(400),
  blanks: `${' '.repeat(60)}x`.repeat(200),
  'a script of three bytes a letter': '人工智能技术正在快速发展'.repeat(60),
  'single letters': ' a'.repeat(500),
};

test.each(Object.keys(HONEST))(
  'an answer that is as long as its bound is never cut: %s',
  async (name) => {
    const text = HONEST[name] ?? '';
    const tokens = countTokens(text);
    bounded('openai', { maxOutputTokens: tokens, heldOutputTokens: tokens });
    // Pieces smaller than tokens, as from a server that splits its text differently.
    const pieces = text.match(/[^]{1,2}/gu) ?? [];
    h.upstream.script = (res) => {
      openSse(res);
      res.write(role());
      for (const piece of pieces) res.write(delta(piece));
      res.end(stop() + DONE);
    };
    const answer = await (await h.post('/v1/chat/completions', chat({ stream: true }))).text();
    expect(answer.endsWith(DONE)).toBe(true);
    const settled = await h.settled();
    expect(settled.outcome).toBe('COMPLETED');
    expect(settled.usage?.output).toBe(tokens);
  },
);

test('a unary answer that exceeds its bound is booked in full, and marked', async () => {
  bounded('openai');
  h.upstream.script = (res) =>
    completion(res, { usage: { prompt_tokens: 5, completion_tokens: 3_000, total_tokens: 3_005 } });
  expect((await h.post('/v1/chat/completions', chat({ max_tokens: BOUND }))).status).toBe(200);
  const settled = await h.settled();
  expect(settled).toMatchObject({
    outcome: 'COMPLETED',
    usageQuality: 'EXACT',
    usage: { output: 3_000 },
    attempts: [{ outcome: 'OVERLONG' }],
  });
  expect(h.log.join('')).toContain('provider exceeded the output bound');
});
