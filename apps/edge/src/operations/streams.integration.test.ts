// Streams of operations without a codec: relayed as they arrive, and billed by their usage.

import { form, sound } from '../test-support/bodies';
import { DONE, openSse } from '../test-support/fake-upstream';
import {
  allow,
  candidate,
  MODEL,
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

const data = (event: object): string => `data: ${JSON.stringify(event)}\n\n`;
const answers = (...events: string[]): void => {
  h.upstream.script = (res) => {
    openSse(res);
    for (const event of events) res.write(event);
    res.end();
  };
};

describe('a completion', () => {
  const piece = (text: string, over: object = {}): string =>
    data({ id: 'cmpl-1', choices: [{ index: 0, text, finish_reason: null }], ...over });
  const usage = { prompt_tokens: 4, completion_tokens: 2, total_tokens: 6 };
  const ask = (over: object = {}) =>
    h.post('/v1/completions', { model: MODEL, prompt: 'Hi', stream: true, ...over });

  test('hides usage from a client that did not ask for it', async () => {
    answers(piece('a'), piece('b'), data({ id: 'cmpl-1', choices: [], usage }), DONE);
    const text = await (await ask()).text();
    expect(text).toContain('"text":"b"');
    expect(text).not.toContain('prompt_tokens');
    expect(text.endsWith(DONE)).toBe(true);
    expect(h.upstream.received[0]?.body['stream_options']).toEqual({ include_usage: true });
    expect(await h.settled()).toMatchObject({
      usage: { input: 4, output: 2 },
      usageQuality: 'EXACT',
      stream: true,
    });
  });

  test('has totals on request, and running counts only for a client that asks for them', async () => {
    h.policy.decide = () => allow([candidate({ upstreamFormat: 'vllm' })]);
    answers(piece('a', { usage }), data({ choices: [], usage }), DONE);
    const totals = await (await ask({ stream_options: { include_usage: true } })).text();
    expect(totals.match(/prompt_tokens/g)).toHaveLength(1);
    const options = { include_usage: true, continuous_usage_stats: true };
    const running = await (await ask({ stream_options: options })).text();
    expect(running.match(/prompt_tokens/g)).toHaveLength(2);
    for (const { body } of h.upstream.received) expect(body['stream_options']).toEqual(options);
  });

  test('without a bound is held for OpenAI’s default length, which is sent', async () => {
    answers(piece('a'), DONE);
    await (await ask({ prompt: ['a', 'b'], n: 3 })).text();
    expect(h.policy.authorized[0]).toMatchObject({
      maxOutputTokens: 16,
      choices: 6,
      stream: false,
    });
    await (await ask({ max_tokens: null })).text();
    for (const { body } of h.upstream.received) expect(body['max_tokens']).toBe(16);
    expect(h.upstream.received).toHaveLength(2);
  });

  test('is sent with the lower bound if a budget lowers it', async () => {
    h.policy.decide = () => allow([candidate({ maxOutputTokens: 30 })]);
    answers(piece('a'), DONE);
    await (await ask({ max_tokens: 100 })).text();
    expect(h.upstream.received[0]?.body['max_tokens']).toBe(30);
  });

  test.each([
    ['the end', [piece('a')]],
    ['an error', [piece('a'), data({ error: { message: 'broken' } })]],
    ['garbage', [piece('a'), 'data: {\n\n']],
  ])('that is interrupted by %s gets an error event', async (_, events) => {
    answers(...events);
    const text = await (await ask()).text();
    expect(text).toContain('"text":"a"');
    expect(text).toMatch(/data: \{"error":.*"code":"upstream_error"/);
    expect(text).not.toContain('[DONE]');
    expect((await h.settled()).outcome).toBe('PARTIAL');
  });

  test('whose client disconnects is charged to the token if the upstream reports running counts', async () => {
    h.policy.decide = () => allow([candidate({ upstreamFormat: 'vllm' })]);
    h.upstream.script = (res) => {
      openSse(res);
      res.write(piece('a', { usage: { ...usage, completion_tokens: 1 } }));
    };
    const controller = new AbortController();
    const response = await fetch(`${h.edge.url}/v1/completions`, {
      method: 'POST',
      headers: {
        authorization: 'Bearer tg_test-key-0123456789',
        'content-type': 'application/json',
      },
      body: JSON.stringify({ model: MODEL, prompt: 'Hi', stream: true }),
      signal: controller.signal,
    });
    await response.body?.getReader().read();
    controller.abort();
    expect(await h.settled()).toMatchObject({
      outcome: 'CLIENT_CLOSED',
      usage: { input: 4, output: 1 },
      usageQuality: 'EXACT',
    });
    await until(() => h.upstream.received[0]?.aborted === true, 'the upstream to be told');
  });
});

describe('images', () => {
  const done = { type: 'image_generation.completed', size: '512x512', quality: 'low' };
  const usage = { input_tokens: 5, output_tokens: 50, total_tokens: 55 };
  const ask = () =>
    h.post('/v1/images/generations', { model: MODEL, prompt: 'x', n: 2, stream: true });

  test('arrive one by one, and the last one ends the stream', async () => {
    const part = data({ type: 'image_generation.partial_image', b64_json: 'AA' });
    answers(part, data({ ...done, usage }), data({ ...done, usage }));
    const text = await (await ask()).text();
    expect(text.match(/completed/g)).toHaveLength(2);
    expect(await h.settled()).toMatchObject({
      outcome: 'COMPLETED',
      units: { image_low_512x512: '2' },
      usage: { input: 10, imageOutput: 100 },
    });
  });

  test('fewer than requested are not a complete answer', async () => {
    answers(data({ ...done, usage }));
    expect(await (await ask()).text()).toContain('upstream_error');
    expect(await h.settled()).toMatchObject({
      outcome: 'PARTIAL',
      units: { image_low_512x512: '1' },
      usage: { imageOutput: 50 },
    });
  });

  test('fewer than requested are all that is charged if the provider ends the stream', async () => {
    answers(data({ ...done, usage }), DONE);
    await (await ask()).text();
    expect(await h.settled()).toMatchObject({
      outcome: 'COMPLETED',
      units: { image_low_512x512: '1' },
      usage: { input: 5, imageOutput: 50 },
      usageQuality: 'EXACT',
    });
  });

  test.each([
    ['tokens', { usage }, { input: 5, imageOutput: 50 + 6_540 }],
    ['no tokens', {}, { imageOutput: 2 * 6_540 }],
  ])(
    'still to come when the client leaves are charged as expected, after one that reports %s',
    async (_, reported, charged) => {
      const step = { fromInputTokens: 0, input: '0', output: '0', imageOutput: '10000000' };
      h.policy.decide = () => allow([candidate({ price: { priceId: 'p', steps: [step] } })]);
      h.upstream.script = (res) => {
        openSse(res);
        res.write(data({ ...done, ...reported }));
      };
      const controller = new AbortController();
      const response = await fetch(`${h.edge.url}/v1/images/generations`, {
        method: 'POST',
        headers: {
          authorization: 'Bearer tg_test-key-0123456789',
          'content-type': 'application/json',
        },
        body: JSON.stringify({ model: MODEL, prompt: 'x', n: 2, stream: true }),
        signal: controller.signal,
      });
      await response.body?.getReader().read();
      controller.abort();
      expect(await h.settled()).toMatchObject({
        outcome: 'CLIENT_CLOSED',
        units: { image_low_512x512: '2' },
        usage: charged,
        usageQuality: 'ESTIMATED',
        costNanoUsd: String(charged.imageOutput * 10),
      });
    },
  );
});

describe('transcription', () => {
  const ask = () =>
    h.send('/v1/audio/transcriptions', form({ file: sound(), model: MODEL, stream: 'true' }));

  test('arrives in pieces, and ends with the whole text', async () => {
    const usage = { type: 'tokens', input_tokens: 9, output_tokens: 3 };
    answers(
      data({ type: 'transcript.text.delta', delta: 'Hel' }),
      data({ type: 'transcript.text.done', text: 'Hello', usage }),
    );
    expect(await (await ask()).text()).toContain('transcript.text.done');
    expect(await h.settled()).toMatchObject({
      usage: { audioInput: 9, output: 3 },
      outcome: 'COMPLETED',
      stream: true,
    });
  });

  test('arrives as chunks of a chat completion from compatible servers', async () => {
    const usage = { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 };
    answers(
      data({ object: 'transcription.chunk', choices: [{ delta: { content: 'Hel' } }] }),
      data({ object: 'transcription.chunk', choices: [], usage }),
      DONE,
    );
    expect((await (await ask()).text()).endsWith(DONE)).toBe(true);
    expect(await h.settled()).toMatchObject({ usage: { input: 9, output: 3 } });
  });

  test.each([
    [
      'an answer that reports tokens',
      data({
        type: 'transcript.text.done',
        text: 'Hello',
        usage: { type: 'tokens', input_tokens: 9, output_tokens: 3 },
      }),
    ],
    [
      'a compatible server',
      data({ object: 'transcription.chunk', choices: [], usage: { prompt_tokens: 9 } }) + DONE,
    ],
  ])('is charged by the second if that is the price, also for %s', async (_, end) => {
    const price = {
      priceId: 'p',
      steps: [{ fromInputTokens: 0, input: '0', output: '0' }],
      perUnitNanoUsd: { audio_second: '100' },
    };
    h.policy.decide = () => allow([candidate({ price })]);
    answers(data({ type: 'transcript.text.delta', delta: 'Hel' }), end);
    await (await ask()).text();
    expect(await h.settled()).toMatchObject({
      units: { audio_second: '1' },
      costNanoUsd: '100',
      usageQuality: 'ESTIMATED',
    });
  });

  test('that arrives whole, from models that cannot stream, is passed on unchanged', async () => {
    h.upstream.script = (res) => {
      res.writeHead(200, { 'content-type': 'application/json' });
      res.end('{"text":"Hello","usage":{"type":"duration","seconds":1}}');
    };
    const response = await ask();
    expect(response.headers.get('content-type')).toBe('application/json');
    expect((await h.settled()).units).toEqual({ audio_second: '1' });
  });
});
