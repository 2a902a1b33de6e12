import { delta, DONE, openSse, role, stop, usageChunk } from '../test-support/fake-upstream';
import { allow, candidate, chat, startHarness, until, type Harness } from '../test-support/harness';

let h: Harness;
beforeAll(async () => {
  h = await startHarness();
});
beforeEach(async () => {
  await h.reset();
  h.policy.decide = () => allow([stepwise]);
});
afterAll(() => h.stop());

const stepwise = candidate({
  outputInSteps: true,
  heldOutputTokens: 1_024,
  maxOutputTokens: 100_000,
});

/** Each event is one word of three bytes, counted as one token. */
const words = (count: number): string => delta('abc').repeat(count);
const ask = (over: object = {}) => h.post('/v1/chat/completions', chat({ stream: true, ...over }));

test('a stream without a bound is held in steps, ahead of need', async () => {
  h.upstream.script = (res) => {
    openSse(res);
    res.end(role() + words(3_000) + stop() + usageChunk() + DONE);
  };
  const text = await (await ask()).text();
  expect(text.endsWith(DONE)).toBe(true);
  const settled = await h.settled();
  expect(settled.outcome).toBe('COMPLETED');
  expect(h.policy.extended.length).toBeGreaterThanOrEqual(2);
  for (const extension of h.policy.extended) {
    expect(extension).toMatchObject({ modelId: 'model-1', addOutputTokens: 1_024, adopt: false });
  }
  // Each extension carries the token from the previous answer, and the settle carries the last.
  const tokens = h.policy.extended.map(({ holdToken }) => holdToken.toString().split(':').at(-1));
  expect(tokens).toEqual(tokens.map((_, index) => String(index)));
  expect(settled.holdToken.toString()).toMatch(new RegExp(`:${tokens.length}$`));
});

test.each(['/v1/chat/completions', '/v1/llm/chat'])(
  '%s: if no limit allows more, the answer ends validly within the hold',
  async (path) => {
    h.policy.extend = () => ({ granted: false, denial: { code: 'budget_exceeded' } });
    h.upstream.script = (res, received) => {
      openSse(res);
      res.write(role());
      const more = setInterval(() => res.write(words(100)), 1);
      res.on('close', () => clearInterval(more));
      expect(received.body['max_completion_tokens']).toBe(100_000);
    };
    const usage = path.includes('llm')
      ? { include_usage: true }
      : { stream_options: { include_usage: true } };
    const text = await (await h.post(path, chat({ stream: true, ...usage }))).text();
    expect(text).toContain('"finish_reason":"length"');
    expect(text.match(/"role":"assistant"/g)).toHaveLength(1);
    expect(text).toContain('"completion_tokens":');
    expect(text.endsWith(DONE)).toBe(true);
    expect(text.split('abc').length - 1).toBeLessThanOrEqual(1_024);
    await until(() => h.upstream.received[0]?.aborted === true, 'the upstream to be let go');
    const settled = await h.settled();
    expect(settled).toMatchObject({ outcome: 'BUDGET_STOPPED', usageQuality: 'ESTIMATED' });
    expect(settled.usage?.output).toBeGreaterThanOrEqual(1_024);
  },
);

test('a translated answer closes its open blocks', async () => {
  const piece = (event: string, over: object): string =>
    `event: ${event}\ndata: ${JSON.stringify({ type: event, ...over })}\n\n`;
  h.policy.extend = () => ({ granted: false, denial: { code: 'budget_exceeded' } });
  h.upstream.script = (res) => {
    openSse(res);
    const usage = { input_tokens: 500, cache_read_input_tokens: 40, output_tokens: 1 };
    res.write(piece('message_start', { message: { id: 'msg_1', model: 'm', usage } }));
    const block = { type: 'tool_use', id: 't', name: 'weather', input: {} };
    res.write(piece('content_block_start', { index: 0, content_block: block }));
    const delta = { type: 'input_json_delta', partial_json: 'abc' };
    const word = piece('content_block_delta', { index: 0, delta });
    const more = setInterval(() => res.write(word.repeat(100)), 1);
    res.on('close', () => clearInterval(more));
  };
  h.policy.decide = () => allow([{ ...stepwise, upstreamFormat: 'anthropic' }]);
  const text = await (await ask({ stream_options: { include_usage: true } })).text();
  expect(text).toContain('"finish_reason":"length"');
  expect(text.endsWith(DONE)).toBe(true);
  const { usage, outcome, usageQuality } = await h.settled();
  // Input as counted by the upstream, output as estimated.
  expect({ outcome, usageQuality }).toEqual({
    outcome: 'BUDGET_STOPPED',
    usageQuality: 'ESTIMATED',
  });
  expect(usage).toMatchObject({ input: 500, cacheRead: 40 });
  expect(usage?.output).toBeGreaterThanOrEqual(1_024);
  expect(text).toContain(`"completion_tokens":${usage?.output}`);
});

test('if policy is unavailable, the stream continues and is booked in full', async () => {
  h.policy.failing.add('extend');
  h.upstream.script = (res) => {
    openSse(res);
    res.end(role() + words(3_000) + stop() + usageChunk() + DONE);
  };
  const text = await (await ask()).text();
  expect(text.endsWith(DONE)).toBe(true);
  expect(await h.settled()).toMatchObject({ outcome: 'COMPLETED', usageQuality: 'EXACT' });
});

test('steps are counted per choice: the hold has one step for each', async () => {
  h.upstream.script = (res) => {
    openSse(res);
    res.end(role() + words(2_000) + stop() + usageChunk() + DONE);
  };
  await (await ask({ n: 2 })).text();
  await h.settled();
  expect(h.policy.authorized[0]?.choices).toBe(2);
  expect(h.policy.extended[0]?.addOutputTokens).toBe(1_024);
});

test('a stream that cannot end at a bound gets an error, and is charged for its output so far', async () => {
  h.policy.extend = () => ({ granted: false, denial: { code: 'budget_exceeded' } });
  const piece = `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, text: 'abc' }] })}\n\n`;
  h.upstream.script = (res) => {
    openSse(res);
    const more = setInterval(() => res.write(piece.repeat(100)), 1);
    res.on('close', () => clearInterval(more));
  };
  const body = { model: 'house-model', prompt: 'Hi', stream: true };
  const text = await (await h.post('/v1/completions', body)).text();
  expect(text).toContain('budget_exceeded');
  const settled = await h.settled();
  expect(settled).toMatchObject({ outcome: 'PARTIAL', usageQuality: 'ESTIMATED' });
  expect(Number(settled.usage?.output)).toBeGreaterThan(0);
  expect(BigInt(settled.costNanoUsd)).toBeGreaterThan(0n);
});
