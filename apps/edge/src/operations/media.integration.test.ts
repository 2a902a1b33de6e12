// Images and audio: forms with files are relayed unchanged, and billed by the units of the answer.

import type { Price } from '@tollgate/contracts/node';

import { form, picture, sound } from '../test-support/bodies';
import { answerJson, formIn } from '../test-support/fake-upstream';
import {
  allow,
  candidate,
  errorOf,
  KEY,
  MODEL,
  startHarness,
  type Harness,
} from '../test-support/harness';

let h: Harness;
beforeAll(async () => {
  h = await startHarness({ UPLOAD_MEMORY_BYTES: 10_000, UPLOAD_LIMIT_BYTES: 2_000_000 });
});
beforeEach(() => h.reset());
afterAll(() => h.stop());

const priced = (price: Price): void => {
  const steps = [{ fromInputTokens: 0, input: '0', output: '0' }];
  h.policy.decide = () =>
    allow([candidate({ maxOutputTokens: 0, price: { priceId: 'p', steps, ...price } })]);
};

describe('images', () => {
  beforeEach(() => {
    priced({ perUnitNanoUsd: { image: '40', image_hd_1024x1792: '120' } });
    h.upstream.script = (res) => answerJson(res, { data: [{}, {}] });
  });

  test('are held and charged per image, by size and quality', async () => {
    const asked = { prompt: 'A tree', n: 2, size: '1024x1792', quality: 'hd' };
    await h.post('/v1/images/generations', { model: MODEL, ...asked });
    expect(h.policy.authorized[0]).toMatchObject({
      choices: 2,
      unitsEstimate: { image_hd_1024x1792: 2 },
    });
    expect(await h.settled()).toMatchObject({
      units: { image_hd_1024x1792: '2' },
      costNanoUsd: '240',
      usageQuality: 'EXACT',
    });
  });

  test.each([
    {},
    { size: '1024x1024' },
    { quality: 'hd' },
    { size: 'auto', quality: 'hd' },
    { size: '1024x1024', quality: 'auto' },
    { size: '2048x2048', quality: 'hd' },
    { size: null, quality: null },
  ])('of which %j is asked are held as images that may be any', async (asked) => {
    await h.post('/v1/images/generations', { model: MODEL, prompt: 'A tree', n: 2, ...asked });
    expect(h.policy.authorized[0]?.unitsEstimate).toEqual({ image: 2 });
  });

  test('of which nobody says the size and quality are charged as the usual ones', async () => {
    await h.post('/v1/images/generations', { model: MODEL, prompt: 'A tree' });
    expect((await h.settled()).units).toEqual({ image_standard_1024x1024: '2' });
  });

  test('of a size without its own price have the price of any image', async () => {
    await h.post('/v1/images/generations', { model: MODEL, prompt: 'A tree', size: '512x512' });
    expect((await h.settled()).costNanoUsd).toBe('80');
  });

  test('with usage in the answer are counted by it, tokens included', async () => {
    h.upstream.script = (res) =>
      answerJson(res, {
        data: [{}],
        size: '1024x1792',
        quality: 'hd',
        usage: { input_tokens: 11, output_tokens: 22, input_tokens_details: { text_tokens: 11 } },
      });
    await h.post('/v1/images/generations', { model: MODEL, prompt: 'A tree', size: 'auto' });
    expect(await h.settled()).toMatchObject({
      units: { image_hd_1024x1792: '1' },
      usage: { input: 11, imageOutput: 22 },
      costNanoUsd: '120',
    });
  });

  test('that are billed in tokens are held by their size, and charged by what the answer says', async () => {
    const classes = { input: '1000000', imageInput: '2000000', output: '3000000' };
    priced({ steps: [{ fromInputTokens: 0, ...classes, imageOutput: '10000000' }] });
    const usage = { input_tokens: 30, output_tokens: 500 };
    const input_tokens_details = { text_tokens: 10, image_tokens: 20 };
    const drawn = { ...usage, input_tokens_details };
    h.upstream.script = (res) => answerJson(res, { data: [{}], usage: drawn });
    const asked = { model: MODEL, prompt: 'A tree', quality: 'low' };
    await h.post('/v1/images/generations', asked);
    expect(h.policy.authorized[0]).toMatchObject({ outputTokensEstimate: 408 });
    expect(await h.settled()).toMatchObject({
      usage: { input: 10, imageInput: 20, output: 0, imageOutput: 500 },
      costNanoUsd: String(10 + 40 + 5_000),
    });
  });

  test('that are billed in tokens and come without usage are charged as they were held', async () => {
    priced({ steps: [{ fromInputTokens: 0, input: '0', output: '0', imageOutput: '10000000' }] });
    // Two come of the three.
    const asked = { model: MODEL, prompt: 'A tree', n: 3, size: '1024x1024', quality: 'medium' };
    await h.post('/v1/images/generations', asked);
    expect(await h.settled()).toMatchObject({
      usageQuality: 'ESTIMATED',
      costNanoUsd: String(2 * 1_056 * 10),
    });
  });

  test('of which some output is text are charged by both prices', async () => {
    priced({
      steps: [{ fromInputTokens: 0, input: '0', output: '3000000', imageOutput: '10000000' }],
    });
    const output_tokens_details = { text_tokens: 100, image_tokens: 400 };
    const usage = { input_tokens: 30, output_tokens: 500, output_tokens_details };
    h.upstream.script = (res) => answerJson(res, { data: [{}], usage });
    await h.post('/v1/images/generations', { model: MODEL, prompt: 'A tree' });
    expect((await h.settled()).costNanoUsd).toBe(String(300 + 4_000));
  });

  test('missing from the answer are a 502', async () => {
    h.upstream.script = (res) => answerJson(res, { data: [] });
    const response = await h.post('/v1/images/generations', { model: MODEL, prompt: 'A tree' });
    expect(response.status).toBe(502);
  });

  test('are sent in a form that names the upstream’s model', async () => {
    const sent = form({ prompt: 'A "tree"', image: picture(), model: MODEL, n: '2' });
    sent.append('image[]', picture(), 'naïve "one".png');
    const response = await h.send('/v1/images/edits', sent);
    expect(response.status).toBe(200);
    const [received] = h.upstream.received;
    if (!received) throw new Error('nothing arrived');
    expect(received.path).toBe('/v1/images/edits');
    expect(Number(received.headers['content-length'])).toBe(received.raw.length);
    const arrived = await formIn(received);
    expect([...arrived.keys()]).toEqual(['prompt', 'image', 'model', 'n', 'image[]']);
    expect(arrived.get('model')).toBe('gpt-upstream');
    expect(arrived.get('prompt')).toBe('A "tree"');
    const file = arrived.get('image[]') as File;
    expect([file.name, file.type, file.size]).toEqual(['naïve "one".png', 'image/png', 100]);
    expect((await h.settled()).units).toEqual({ image_standard_1024x1024: '2' });
  });

  test.each(['n', 'size', 'quality', 'model'])(
    'in a form with two fields "%s" are 400 and name it',
    async (field) => {
      const sent = form({ prompt: 'A', image: picture(), model: MODEL, n: '1', size: '256x256' });
      sent.append('quality', 'low');
      sent.append(field, field === 'n' ? '10' : 'other');
      const response = await h.send('/v1/images/edits', sent);
      expect(await errorOf(response)).toMatchObject({
        code: 'invalid_request',
        param: field,
        message: `${field}: is sent more than once`,
      });
      expect(h.policy.authorized).toHaveLength(0);
    },
  );

  test('may be given by URL, as JSON', async () => {
    const images = [{ image_url: 'https://example.com/a.png' }];
    const body = { model: MODEL, prompt: 'A tree', images };
    expect((await h.post('/v1/images/edits', body)).status).toBe(200);
    expect(h.upstream.received[0]?.body['images']).toEqual(images);
  });

  const DATA_URL = 'data:image/png;base64,AAAA';
  const IMAGE = { image_url: DATA_URL };
  test.each([
    ['edits', { images: [IMAGE, IMAGE] }, 2],
    ['edits', { image: DATA_URL }, 1],
    ['edits', { image: Array(10).fill(DATA_URL) }, 10],
    ['edits', { image: IMAGE, images: [DATA_URL], mask: IMAGE }, 3],
    ['edits', { image: null, images: [], mask: '' }, 0],
    ['generations', { image: [DATA_URL, DATA_URL] }, 2],
    ['generations', { images: DATA_URL }, 1],
  ])('shown to /v1/images/%s as %j are all held', async (path, shown, pictures) => {
    await h.post(`/v1/images/${path}`, { model: MODEL, prompt: 'A tree', ...shown });
    const held = Number(h.policy.authorized[0]?.inputTokensEstimate);
    expect(Math.floor(held / 6_500)).toBe(pictures);
  });

  test('in a form that pins a provider which the route does not serve are 400', async () => {
    const sent = form({ model: MODEL, provider: 'provider_b', image: picture() });
    const response = await h.send('/v1/images/variations', sent);
    expect((await errorOf(response)).code).toBe('provider_mismatch');
  });
});

describe('transcription', () => {
  const transcribe = (fields: Record<string, string> = {}, file: Blob = sound()) =>
    h.send('/v1/audio/transcriptions', form({ file, model: MODEL, ...fields }));
  const answers = (type: string, body: string): void => {
    h.upstream.script = (res) => {
      res.writeHead(200, { 'content-type': type });
      res.end(body);
    };
  };
  const counted = async () => {
    const { units, usageQuality, costNanoUsd, usage } = await h.settled();
    return { units, usageQuality, costNanoUsd, heard: usage?.audioInput, said: usage?.output };
  };

  beforeEach(() => priced({ perUnitNanoUsd: { audio_second: '100' } }));

  test.each([
    ['json', '{"text":"x","usage":{"type":"duration","seconds":3}}', '3', '300'],
    ['json', '{"text":"x","duration":2.5}', '2.5', '250'],
    ['json', '{"text":"x","duration":"2.5"}', '2.5', '250'],
  ])('as %s is charged by the second %#', async (_, body, seconds, costNanoUsd) => {
    answers('application/json', body);
    expect(await (await transcribe()).text()).toBe(body);
    const units = { audio_second: seconds };
    expect(await counted()).toMatchObject({ units, costNanoUsd, usageQuality: 'EXACT' });
  });

  test.each([
    [
      'text/plain',
      '1\n00:00:00,000 --> 00:00:01,500\nHi\n\n2\n00:00:02,000 --> 00:01:02,250\nHo\n',
    ],
    ['text/vtt', 'WEBVTT\n\n00:00.000 --> 00:01.500\nHi\n\n00:02.000 --> 01:02.250\nHo\n'],
  ])('as subtitles (%s) is charged to the end of the last subtitle', async (type, body) => {
    answers(type, body);
    const response = await transcribe({ response_format: 'srt' });
    expect(await response.text()).toBe(body);
    expect(response.headers.get('content-type')).toBe(type);
    expect(await counted()).toMatchObject({
      units: { audio_second: '62.25' },
      costNanoUsd: '6225',
    });
  });

  test('as plain text is charged by the size of its file, and is marked as estimated', async () => {
    answers('text/plain; charset=utf-8', 'Hello');
    await transcribe({ response_format: 'text' }, sound(16_000));
    expect(await counted()).toMatchObject({
      units: { audio_second: '2' },
      usageQuality: 'ESTIMATED',
    });
  });

  const TOKENS = {
    type: 'tokens',
    input_tokens: 14,
    input_token_details: { text_tokens: 4, audio_tokens: 10 },
    output_tokens: 5,
    total_tokens: 19,
  };
  const byTokens = { fromInputTokens: 0, input: '1000000', audioInput: '5000000', output: '0' };
  const bySecond = { perUnitNanoUsd: { audio_second: '100' } };

  test.each([
    ['tokens', { steps: [byTokens] }, { units: {}, costNanoUsd: '54', usageQuality: 'EXACT' }],
    ['the second', bySecond, { units: { audio_second: '2' }, costNanoUsd: '200' }],
    [
      'both',
      { steps: [byTokens], ...bySecond },
      { units: { audio_second: '2' }, costNanoUsd: '254' },
    ],
  ])('whose answer reports tokens is charged by %s if the price is', async (_, price, charged) => {
    priced(price);
    answers('application/json', JSON.stringify({ text: 'x', usage: TOKENS }));
    await transcribe({}, sound(16_000));
    const usageQuality = 'ESTIMATED';
    expect(await counted()).toMatchObject({ usageQuality, ...charged, heard: 10, said: 5 });
  });

  test('whose answer reports tokens and seconds is charged by the seconds, and exactly', async () => {
    answers('application/json', JSON.stringify({ text: 'x', duration: 3, usage: TOKENS }));
    await transcribe({}, sound(16_000));
    const units = { audio_second: '3' };
    expect(await counted()).toMatchObject({ units, costNanoUsd: '300', usageQuality: 'EXACT' });
  });

  test.each([bySecond, { steps: [byTokens] }])(
    'whose answer counts nothing is charged by an estimate (%j)',
    async (price) => {
      priced(price);
      const usage = { type: 'tokens', input_tokens: 0, output_tokens: 0, total_tokens: 0 };
      answers('application/json', JSON.stringify({ text: 'x', usage }));
      await transcribe({}, sound(16_000));
      const { usageQuality, costNanoUsd } = await counted();
      expect(usageQuality).toBe('ESTIMATED');
      expect(Number(costNanoUsd)).toBeGreaterThan(100);
    },
  );

  test('is held for by the duration in the file’s header', async () => {
    answers('application/json', '{"text":"x","duration":1}');
    const wave = Buffer.alloc(44 + 32_000);
    wave.write('RIFF', 0, 'latin1');
    wave.write('WAVEfmt ', 8, 'latin1');
    wave.writeUInt16LE(1, 20);
    wave.writeUInt16LE(1, 22);
    wave.writeUInt32LE(16_000, 24);
    wave.writeUInt32LE(32_000, 28);
    wave.writeUInt16LE(16, 34);
    await transcribe({}, new Blob([wave], { type: 'audio/wav' }));
    expect(h.policy.authorized[0]?.unitsEstimate).toEqual({ audio_second: 2 });
    expect(Number(h.policy.authorized[0]?.audioInputTokensEstimate)).toBeGreaterThan(20);
  });

  test('as plain text is charged by the rate in the file’s header', async () => {
    answers('text/plain; charset=utf-8', 'Hello');
    const wave = Buffer.alloc(64 + 16_250);
    wave.write('RIFF....WAVEfmt ', 0, 'latin1');
    wave.writeUInt16LE(0x31, 20);
    wave.writeUInt32LE(1_625, 28);
    await transcribe({ response_format: 'text' }, new Blob([wave], { type: 'audio/wav' }));
    expect(Number((await counted()).units?.['audio_second'])).toBeCloseTo(10, 1);
    expect(h.policy.authorized[0]?.unitsEstimate?.['audio_second']).toBeGreaterThan(10);
  });

  test('of a file beyond the memory limit arrives complete', async () => {
    answers('application/json', '{"text":"x","duration":1}');
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, n) => n % 251));
    expect((await transcribe({}, new Blob([bytes]))).status).toBe(200);
    const [received] = h.upstream.received;
    if (!received) throw new Error('nothing arrived');
    const file = (await formIn(received)).get('file') as File;
    expect(Buffer.from(await file.arrayBuffer()).equals(bytes)).toBe(true);
  });

  test('of two files is 400, because only one would be held', async () => {
    const sent = form({ model: MODEL, file: sound() });
    sent.append('file', sound(100_000));
    const response = await h.send('/v1/audio/transcriptions', sent);
    expect(await errorOf(response)).toMatchObject({ code: 'invalid_request', param: 'file' });
    expect(h.policy.authorized).toHaveLength(0);
  });

  test('of a file beyond the size limit is 400 and names the limit', async () => {
    const response = await transcribe({}, sound(2_100_000));
    expect(response.status).toBe(400);
    expect((await errorOf(response)).message).toContain('2000000 bytes');
    expect(h.policy.authorized).toHaveLength(0);
  });

  test('is sent again from the start to the next candidate', async () => {
    let calls = 0;
    h.upstream.script = (res) => {
      calls += 1;
      if (calls === 1) res.destroy();
      else answerJson(res, { text: 'x', duration: 1 });
    };
    h.policy.decide = () => allow([candidate(), candidate()]);
    expect((await transcribe({}, sound(300_000))).status).toBe(200);
    const sizes = await Promise.all(
      h.upstream.received.map(async (one) => ((await formIn(one)).get('file') as File).size),
    );
    expect(sizes).toEqual([300_000, 300_000]);
  });

  test.each([
    ['no file', form({ model: MODEL }), 'file'],
    ['no model', form({ file: sound() }), 'model'],
  ])('with %s is 400', async (_, body, param) => {
    const response = await h.send('/v1/audio/translations', body);
    expect(response.status).toBe(400);
    expect((await errorOf(response)).param).toBe(param);
  });

  test.each([
    ['multipart/form-data', 'x'],
    ['multipart/form-data; boundary=b', 'no form at all'],
    [
      'multipart/form-data; boundary=b',
      '--b\r\ncontent-disposition: form-data; name="model"\r\n\r\nx',
    ],
  ])('with a body that is not a form is 400 %#', async (type, body) => {
    const response = await fetch(`${h.edge.url}/v1/audio/transcriptions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': type },
      body,
    });
    expect(response.status).toBe(400);
    expect((await errorOf(response)).code).toBe('invalid_request');
  });
});

describe('speech', () => {
  const speak = (over: object = {}) =>
    h.post('/v1/audio/speech', { model: MODEL, input: 'Grüße 👋', voice: 'alloy', ...over });

  beforeEach(() => priced({ perUnitNanoUsd: { character: '15' } }));

  test('is streamed as it arrives, and charged by the character', async () => {
    h.upstream.script = (res) => {
      res.writeHead(200, { 'content-type': 'audio/mpeg' });
      res.write(Buffer.from([1, 2]));
      res.end(Buffer.from([3]));
    };
    const response = await speak();
    expect(response.headers.get('content-type')).toBe('audio/mpeg');
    expect([...new Uint8Array(await response.arrayBuffer())]).toEqual([1, 2, 3]);
    expect(h.policy.authorized[0]).toMatchObject({
      unitsEstimate: { character: 7 },
      textOutput: false,
    });
    expect(await h.settled()).toMatchObject({
      units: { character: '7' },
      costNanoUsd: '105',
      usageQuality: 'EXACT',
      outcome: 'COMPLETED',
    });
  });

  test('that is billed in tokens is held by its text, and charged so without usage', async () => {
    const step = { fromInputTokens: 0, input: '0', output: '1000000', audioOutput: '12000000' };
    priced({ steps: [step] });
    h.upstream.script = (res) => {
      res.writeHead(200, { 'content-type': 'audio/mpeg' });
      res.end(Buffer.from([1, 2]));
    };
    await (await speak({ input: 'word '.repeat(200) })).arrayBuffer();
    expect(h.policy.authorized[0]).toMatchObject({
      outputTokensEstimate: 1_750,
      maxOutputTokens: 0,
    });
    expect(await h.settled()).toMatchObject({
      usage: { output: 0, imageOutput: 0, audioOutput: 1_750 },
      usageQuality: 'ESTIMATED',
      costNanoUsd: String(1_750 * 12),
    });
  });

  test('that is interrupted is cut off, never ended as if it were complete', async () => {
    h.upstream.script = (res) => {
      res.writeHead(200, { 'content-type': 'audio/mpeg' });
      res.write(Buffer.alloc(100, 1));
      setImmediate(() => res.destroy());
    };
    const response = await speak();
    await expect(response.arrayBuffer()).rejects.toThrow();
    expect((await h.settled()).outcome).toBe('PARTIAL');
  });

  test('that never starts is 502', async () => {
    h.upstream.script = (res) => {
      res.writeHead(200, { 'content-type': 'audio/mpeg' });
      res.end();
    };
    expect((await speak()).status).toBe(502);
  });

  test('as events has usage', async () => {
    const usage = { input_tokens: 8, output_tokens: 40, total_tokens: 48 };
    h.upstream.script = (res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.write('data: {"type":"speech.audio.delta","audio":"AAAA"}\n\n');
      res.end(`data: ${JSON.stringify({ type: 'speech.audio.done', usage })}\n\n`);
    };
    const text = await (await speak({ stream_format: 'sse' })).text();
    expect(text).toContain('speech.audio.delta');
    expect(text).toContain('speech.audio.done');
    expect(await h.settled()).toMatchObject({
      usage: { input: 8, audioOutput: 40 },
      units: { character: '7' },
      stream: true,
    });
  });
});
