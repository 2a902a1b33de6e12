// Guarantees of the unified endpoint: each line of a stream starts with `data: `, and all refusals
// have one shape.

import { ERRORS } from '@tollgate/contracts';

import { DONE, openSse } from '../test-support/fake-upstream';
import { chat, deny, startHarness, type Harness } from '../test-support/harness';

let h: Harness;
beforeAll(async () => {
  h = await startHarness();
});
beforeEach(() => h.reset());
afterAll(() => h.stop());

const PIECE = JSON.stringify({
  id: 'c',
  model: 'up',
  choices: [{ index: 0, delta: { content: 'x' } }],
});

function answers(text: string): void {
  h.upstream.script = (res) => {
    openSse(res);
    res.end(text);
  };
}

async function linesOf(headers: Record<string, string> = {}): Promise<string[]> {
  const response = await h.post('/v1/llm/chat', chat({ stream: true }), headers);
  return (await response.text()).split('\n').filter((line) => line !== '');
}

test.each([
  ['comments', `: keep-alive\n\ndata: ${PIECE}\n\n: more\n\n${DONE}`],
  ['named events', `event: chunk\nid: 1\ndata: ${PIECE}\n\n${DONE}`],
  ['no spaces', `data:${PIECE}\n\ndata:[DONE]\n\n`],
  ['a comment in an event', `: x\ndata: ${PIECE}\n\n${DONE}`],
  ['its waits', `retry: 100\n\ndata: ${PIECE}\n\n${DONE}`],
])('each line is data, for an upstream with %s', async (_, text) => {
  answers(text);
  const lines = await linesOf();
  expect(lines).toEqual([expect.stringMatching(/^data: \{.*"content":"x"/), 'data: [DONE]']);
});

test('the cost is sent on request, in a chunk without choices', async () => {
  answers(`data: ${PIECE}\n\n${DONE}`);
  const lines = await linesOf({ 'x-tollgate-stream-cost': 'true' });
  expect(lines.at(-1)).toBe('data: [DONE]');
  expect(JSON.parse(lines.at(-2)?.slice(6) ?? '')).toEqual({
    object: 'chat.completion.chunk',
    choices: [],
    comment: expect.stringMatching(/^x-tollgate-cost-usd: 0\.\d+$/) as string,
  });
});

test.each(['/v1/chat/completions', '/v1/messages', '/v1/responses'])(
  'the stream of %s has its cost only on request',
  async (path) => {
    answers(`data: ${PIECE}\n\n${DONE}`);
    const body = chat({ stream: true, max_tokens: 9, input: 'Hi' });
    expect(await (await h.post(path, body)).text()).not.toContain('cost-usd');
  },
);

const SHAPE = {
  error: {
    code: expect.any(String) as string,
    message: expect.stringMatching(/./) as string,
    type: expect.any(String) as string,
    param: null,
  },
  request_id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
};

test.each(Object.keys(ERRORS))('the refusal %s has the one shape', async (code) => {
  h.policy.decide = () => deny(code);
  const response = await h.post('/v1/llm/chat', chat());
  expect(response.ok).toBe(false);
  expect(await response.json()).toEqual({ ...SHAPE, error: { ...SHAPE.error, code } });
});

test('an invalid field, a wrong key and a malformed body have the same shape', async () => {
  const field = await h.post('/v1/llm/chat', chat({ temperature: 'hot' }));
  expect(await field.json()).toEqual({ ...SHAPE, error: { ...SHAPE.error, param: 'temperature' } });
  const broken = await h.post('/v1/llm/chat', '{"model":');
  expect(await broken.json()).toEqual(SHAPE);
  const nobody = await h.post('/v1/llm/chat', chat(), { authorization: '' });
  expect(await nobody.json()).toEqual(SHAPE);
});

test.each([
  ['the upstream ends early', `data: ${PIECE}\n\n`],
  ['the upstream fails', `data: ${PIECE}\n\ndata: {"error":{"message":"overloaded"}}\n\n`],
])('an error within a stream has the same shape: %s', async (_, text) => {
  answers(text);
  const last = (await linesOf()).at(-1) ?? '';
  expect(JSON.parse(last.slice(6))).toEqual({
    ...SHAPE,
    error: { ...SHAPE.error, code: 'upstream_error' },
  });
});
