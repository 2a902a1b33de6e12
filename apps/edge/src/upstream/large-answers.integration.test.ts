// Limits on upstream answers: a tenant's own upstream may send anything, and tenants share the
// process.

import { completion } from '../test-support/fake-upstream';
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

const MIB = 1024 ** 2;

let h: Harness;
beforeAll(async () => {
  h = await startHarness({ ANSWER_BUFFER_BYTES: 4 * MIB });
});
beforeEach(() => h.reset());
afterAll(() => h.stop());

const ask = (over: object = {}) => h.post('/v1/chat/completions', chat(over));
const answer = (text: string) => {
  h.upstream.script = (res) => {
    res.writeHead(200, { 'content-type': 'application/json' });
    res.end(text);
  };
};
const whole = (content: string): string =>
  JSON.stringify({
    id: 'c',
    object: 'chat.completion',
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
  });

test.each([
  ['of 900 KB', 300_000],
  ['of 3 MB', 1_000_000],
])(
  'an answer that expands to too many lists is a failure of the upstream: %s',
  async (_, count) => {
    answer(`{"choices":[${'[],'.repeat(count)}[]]}`);
    const response = await ask();
    expect(response.status).toBe(502);
    const error = await errorOf(response);
    expect(error.code).toBe('upstream_error');
    expect(error.message).toContain('262144 objects and lists');
    // The upstream has processed the request, so the input is charged.
    const settled = await h.settled();
    expect(settled.attempts[0]?.outcome).toBe('TOO_LARGE');
    expect(settled.usageQuality).toBe('ESTIMATED');
  },
);

test.each([
  ['passed on', {}],
  ['translated', { upstreamFormat: 'anthropic', providerType: 'PROVIDER_B' }],
])('an answer above a mebibyte is parsed on the thread and %s', async (_, over) => {
  const text = `é${'x'.repeat(2 * MIB)}`;
  const translated = 'upstreamFormat' in over;
  h.policy.decide = () => allow([candidate(over)]);
  const messages = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [{ type: 'text', text }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 3, output_tokens: 4 },
  };
  answer(translated ? JSON.stringify(messages) : whole(text));
  const response = await ask();
  expect(response.status).toBe(200);
  const body = (await response.json()) as { choices: { message: { content: string } }[] };
  expect(body.choices[0]?.message.content).toBe(text);
  expect((await h.settled()).usage).toMatchObject({ input: 3, output: 4 });
});

test('numbers above a mebibyte are passed on byte for byte, and their usage is read', async () => {
  const numbers = Array.from({ length: 2_000 }, (_, n) => n / 7);
  const data = Array.from({ length: 50 }, (_, index) => ({ index, embedding: numbers }));
  const text = JSON.stringify({
    object: 'list',
    data,
    usage: { prompt_tokens: 9, total_tokens: 9 },
  });
  expect(text.length).toBeGreaterThan(MIB);
  answer(text);
  const response = await h.post('/v1/embeddings', { model: MODEL, input: 'x' });
  expect(await response.text()).toBe(text);
  expect((await h.settled()).usage?.input).toBe(9);
});

test('concurrent answers wait for memory, and all are served', async () => {
  answer(whole('x'.repeat(1.5 * MIB)));
  const responses = await Promise.all(Array.from({ length: 12 }, () => ask()));
  expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 200));
  await Promise.all(responses.map((response) => response.arrayBuffer()));
});

test('only the start of a refusal is read', async () => {
  h.upstream.script = (res) => {
    res.writeHead(400, { 'content-type': 'application/json' });
    const more = setInterval(() => res.write('x'.repeat(64 * 1024)), 1);
    res.on('close', () => clearInterval(more));
  };
  const response = await ask();
  expect(response.status).toBe(400);
  expect((await errorOf(response)).code).toBe('upstream_rejected');
  await until(() => h.upstream.received[0]?.aborted === true, 'the upstream to be let go');
});

test('an event that expands to too many lists ends its stream', async () => {
  h.upstream.script = (res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.write(`data: {"id":"c","choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\n`);
    res.end(`data: {"id":"c","choices":[${'[],'.repeat(100_000)}[]]}\n\n`);
  };
  const text = await (await ask({ stream: true })).text();
  expect(text).toContain('Hi');
  expect(text).toContain('"code":"upstream_error"');
});

test('other requests are served while a large answer is parsed', async () => {
  let finish: (() => void) | undefined;
  h.upstream.script = (res, received) => {
    if (received.body['user'] !== 'large') return completion(res, {});
    const text = whole('x'.repeat(3 * MIB));
    res.writeHead(200, { 'content-type': 'application/json' });
    res.write(text.slice(0, 2 * MIB));
    finish = () => res.end(text.slice(2 * MIB));
  };
  const large = ask({ user: 'large' });
  await until(() => finish !== undefined, 'the large answer to begin');
  expect((await ask()).status).toBe(200);
  finish?.();
  expect((await large).status).toBe(200);
});
