// An upstream reports implausible usage. The settle is valid in any case.

import { completion, openSse } from '../test-support/fake-upstream';
import { allow, candidate, chat, startHarness, type Harness } from '../test-support/harness';

let h: Harness;
beforeAll(async () => {
  h = await startHarness();
});
beforeEach(() => h.reset());
afterAll(() => h.stop());

const data = (wire: unknown): string => `data: ${JSON.stringify(wire)}\n\n`;
const named = (type: string, over: object = {}): string =>
  `event: ${type}\n${data({ type, ...over })}`;

/** Values that are not token counts. JSON has no NaN, so a text stands for it. */
const MADE_UP: [name: string, count: unknown][] = [
  ['9e15', 9e15],
  ['a billion', 1e9],
  ['a negative number', -5],
  ['a fraction', 12.5],
  ['a text', '12'],
  ['NaN as text', 'NaN'],
  ['a list', [1]],
  ['beyond the range of a number', 1e300],
];

interface Shape {
  type: string;
  format: string;
  path: string;
  body: object;
  streamPath?: string;
  whole: (count: unknown) => object;
  stream: (count: unknown) => string;
}

const CHAT_USAGE = (count: unknown) => ({ prompt_tokens: 7, completion_tokens: count });
const ITEM = {
  id: 'i',
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: 'Hello there', annotations: [] }],
};
const responsesUsage = (count: unknown) => ({ input_tokens: 7, output_tokens: count });
const geminiPiece = (count: unknown) => ({
  candidates: [
    { content: { parts: [{ text: 'Hello there' }], role: 'model' }, finishReason: 'STOP' },
  ],
  usageMetadata: { promptTokenCount: 7, candidatesTokenCount: count },
});

const SHAPES: Record<string, Shape> = {
  chat: {
    type: 'PROVIDER_A',
    format: 'openai',
    path: '/v1/chat/completions',
    body: chat(),
    whole: (count) => ({
      id: 'c',
      choices: [{ index: 0, message: { content: 'Hello there' }, finish_reason: 'stop' }],
      usage: CHAT_USAGE(count),
    }),
    stream: (count) =>
      data({ id: 'c', choices: [{ index: 0, delta: { content: 'Hello there' } }] }) +
      data({ id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }) +
      data({ id: 'c', choices: [], usage: CHAT_USAGE(count) }) +
      'data: [DONE]\n\n',
  },
  messages: {
    type: 'PROVIDER_B',
    format: 'anthropic',
    path: '/v1/messages',
    body: chat({ max_tokens: 50 }),
    whole: (count) => ({
      id: 'm',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [{ type: 'text', text: 'Hello there' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 7, output_tokens: count },
    }),
    stream: (count) =>
      named('message_start', {
        message: { id: 'm', role: 'assistant', content: [], usage: { input_tokens: count } },
      }) +
      named('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }) +
      named('content_block_delta', {
        index: 0,
        delta: { type: 'text_delta', text: 'Hello there' },
      }) +
      named('content_block_stop', { index: 0 }) +
      named('message_delta', {
        delta: { stop_reason: 'end_turn' },
        usage: { output_tokens: count },
      }) +
      named('message_stop'),
  },
  gemini: {
    type: 'PROVIDER_C',
    format: 'gemini',
    path: '/v1beta/models/house-model:generateContent',
    streamPath: '/v1beta/models/house-model:streamGenerateContent?alt=sse',
    body: { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
    whole: geminiPiece,
    stream: (count) => data(geminiPiece(count)),
  },
  responses: {
    type: 'PROVIDER_A',
    format: 'openai',
    path: '/v1/responses',
    body: { model: 'house-model', input: 'Hi' },
    whole: (count) => ({
      id: 'r',
      object: 'response',
      status: 'completed',
      output: [ITEM],
      usage: responsesUsage(count),
    }),
    stream: (count) =>
      named('response.created', { response: { id: 'r', status: 'in_progress', output: [] } }) +
      named('response.output_item.added', { output_index: 0, item: { ...ITEM, content: [] } }) +
      named('response.output_text.delta', {
        output_index: 0,
        content_index: 0,
        delta: 'Hello there',
      }) +
      named('response.completed', {
        response: { id: 'r', status: 'completed', output: [], usage: responsesUsage(count) },
      }),
  },
};

const cases = Object.keys(SHAPES).flatMap((shape) =>
  [false, true].flatMap((stream) =>
    MADE_UP.map(([name, count]) => [shape, stream ? 'streamed' : 'whole', name, count] as const),
  ),
);

test.each(cases)(
  '%s, %s: a usage of %s is replaced by the estimate',
  async (name, kind, _, count) => {
    const shape = SHAPES[name];
    if (!shape) throw new Error('no such shape');
    h.policy.decide = () =>
      allow([candidate({ providerType: shape.type, upstreamFormat: shape.format })]);
    const streamed = kind === 'streamed';
    h.upstream.script = (res) => {
      if (streamed) openSse(res);
      else res.writeHead(200, { 'content-type': 'application/json' });
      res.end(streamed ? shape.stream(count) : JSON.stringify(shape.whole(count)));
    };
    const body = streamed && !shape.streamPath ? { ...shape.body, stream: true } : shape.body;
    const response = await h.post((streamed && shape.streamPath) || shape.path, body);
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('Hello there');
    const settled = await h.settled();
    expect(settled).toMatchObject({ outcome: 'COMPLETED', usageQuality: 'ESTIMATED' });
    const { input, output } = settled.usage ?? { input: 0, output: 0 };
    expect(input).toBeGreaterThan(0);
    expect(input).toBeLessThan(100);
    expect(output).toBeGreaterThan(0);
    expect(output).toBeLessThan(100);
    expect(BigInt(settled.costNanoUsd)).toBeLessThan(1_000_000n);
    const logged = h.log.join('').includes('provider reported implausible usage');
    expect(logged).toBe(count === 9e15 || count === 1e9);
  },
);

test('implausible units are replaced by the held units', async () => {
  h.upstream.script = (res) => {
    res.writeHead(200, { 'content-type': 'application/json' });
    res.end(JSON.stringify({ text: 'Hello', usage: { type: 'duration', seconds: 9_999_999 } }));
  };
  const form = new FormData();
  form.set('model', 'house-model');
  form.set('file', new Blob([new Uint8Array(100)]), 'a.wav');
  expect((await h.send('/v1/audio/transcriptions', form)).status).toBe(200);
  const { units, usageQuality } = await h.settled();
  expect(usageQuality).toBe('ESTIMATED');
  expect(Number(units['audio_second'])).toBeLessThan(1_000_000);
});

test('the response id and model of an upstream are bounded in the record', async () => {
  h.upstream.script = (res) => completion(res, { extra: { id: 'x'.repeat(1_000_000) } });
  expect((await h.post('/v1/chat/completions', chat())).status).toBe(200);
  expect((await h.settled()).responseId).toHaveLength(1_024);
});
