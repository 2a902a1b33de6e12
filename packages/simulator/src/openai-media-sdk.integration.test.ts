// The vendor's own SDK uses every operation beside chat.
import OpenAI, { AzureOpenAI, toFile } from 'openai';

import type { Bill, BillLine } from './bill';
import type { ReceivedRequest } from './received';
import { startSimulator, type Simulator } from './simulator';

let simulator: Simulator;
let client: OpenAI;
let azure: AzureOpenAI;

beforeAll(async () => {
  simulator = await startSimulator();
  const apiKey = 'key';
  client = new OpenAI({ baseURL: `${simulator.url}/v1`, apiKey, maxRetries: 0 });
  const apiVersion = '2024-10-21';
  azure = new AzureOpenAI({ endpoint: simulator.url, apiKey, apiVersion, maxRetries: 0 });
});
afterAll(() => simulator.stop());
beforeEach(async () => {
  await fetch(`${simulator.url}/_sim/bill`, { method: 'DELETE' });
  await fetch(`${simulator.url}/_sim/requests`, { method: 'DELETE' });
});

async function firstLine(): Promise<BillLine | undefined> {
  const bill = (await (await fetch(`${simulator.url}/_sim/bill`)).json()) as Bill;
  return bill.requests[0];
}

async function firstRequest(): Promise<ReceivedRequest | undefined> {
  const answer = await fetch(`${simulator.url}/_sim/requests`);
  return ((await answer.json()) as { data: ReceivedRequest[] }).data[0];
}

/** A second of silence. */
function wave(seconds: number): Buffer {
  const rate = 8_000;
  const bytes = Buffer.alloc(44 + rate * seconds);
  bytes.write('RIFF', 0, 'latin1');
  bytes.write('WAVEfmt ', 8, 'latin1');
  bytes.writeUInt32LE(rate, 28);
  return bytes;
}
const sound = () => toFile(wave(3), 'speech.wav', { type: 'audio/wav' });
const picture = (name = 'in.png') => toFile(Buffer.from('pixels'), name, { type: 'image/png' });

test.each(['float', 'base64'] as const)(
  'embeddings are %s of the requested length',
  async (format) => {
    const request = { model: 'sim', input: ['one', 'two'], dimensions: 5 };
    const { data, usage } = await client.embeddings.create({ ...request, encoding_format: format });
    const plain = await client.embeddings.create(request);
    expect(usage).toEqual({ prompt_tokens: 2, total_tokens: 2 });
    expect(plain.data[0]?.embedding).toHaveLength(5);
    expect(plain.data[0]?.embedding).not.toEqual(plain.data[1]?.embedding);
    const [first] = data;
    const decoded =
      format === 'float'
        ? first?.embedding
        : [
            ...new Float32Array(
              Uint8Array.from(Buffer.from(String(first?.embedding), 'base64')).buffer,
            ),
          ];
    expect(decoded).toEqual(plain.data[0]?.embedding);
    expect(await firstLine()).toMatchObject({ operation: 'embeddings', usage: { input: 2 } });
  },
);

test('token ids are embedded', async () => {
  const { usage } = await client.embeddings.create({ model: 'sim', input: [1, 2, 3] });
  expect(usage.prompt_tokens).toBe(3);
});

test('completions answer each prompt, streamed too', async () => {
  const request = { model: 'sim', prompt: ['Hello there', 'Bye'], max_tokens: 100 };
  const whole = await client.completions.create({ ...request, n: 2, logprobs: 1 });
  expect(whole.choices.map(({ text }) => text)).toEqual([
    'You said: Hello there',
    'You said: Hello there',
    'You said: Bye',
    'You said: Bye',
  ]);
  expect(whole.usage).toMatchObject({ prompt_tokens: 4, completion_tokens: 2 * (6 + 4) });
  const stream = await client.completions.create({
    ...request,
    stream: true,
    stream_options: { include_usage: true },
  });
  const texts = ['', ''];
  let usage;
  for await (const { choices, usage: reported } of stream) {
    for (const { index, text } of choices) texts[index] += text;
    usage = reported ?? usage;
  }
  expect(texts).toEqual(['You said: Hello there', 'You said: Bye']);
  expect(usage).toMatchObject({ prompt_tokens: 4, completion_tokens: 10 });
});

test('a completion stops, has a default bound of 16 tokens, and echoes', async () => {
  const ask = async (request: object) =>
    (await client.completions.create({ model: 'sim', prompt: 'x y z', ...request } as never))
      .choices[0];
  expect(await ask({ stop: 'y' })).toMatchObject({ text: 'You said: x ', finish_reason: 'stop' });
  expect(await ask({ model: 'sim-tokens-50' })).toMatchObject({ finish_reason: 'length' });
  expect(await ask({ echo: true })).toMatchObject({ text: 'x y zYou said: x y z' });
});

test('moderations flag violence, text by text', async () => {
  const { results } = await client.moderations.create({ input: ['peace', 'violence'] });
  expect(results.map(({ flagged }) => flagged)).toEqual([false, true]);
  expect(results[1]?.categories.violence).toBe(true);
  expect(await firstLine()).toMatchObject({ operation: 'moderations', usage: { input: 4 } });
});

test('images are generated, and cost by quality and shape', async () => {
  const { data, usage } = await client.images.generate({
    model: 'sim',
    prompt: 'A fox',
    n: 2,
    quality: 'low',
    size: '1024x1536',
  });
  expect(data).toHaveLength(2);
  expect(
    Buffer.from(data?.[0]?.b64_json ?? '', 'base64')
      .subarray(1, 4)
      .toString(),
  ).toBe('PNG');
  expect(usage).toMatchObject({ input_tokens: 2, output_tokens: 2 * 408, total_tokens: 818 });
  expect(await firstLine()).toMatchObject({
    operation: 'image_generation',
    units: { images: { count: 2, size: '1024x1536', quality: 'low' } },
    usage: { input: 2, output: 0, imageOutput: 816 },
  });
  const linked = await client.images.generate({ prompt: 'A fox', response_format: 'url' });
  expect(linked.data?.[0]?.url).toMatch(/^https:/);
});

test('a streamed image arrives in partial images', async () => {
  const stream = await client.images.generate({
    model: 'sim',
    prompt: 'A fox',
    stream: true,
    partial_images: 2,
  });
  const types = [];
  for await (const event of stream) {
    types.push(event.type);
    if (event.type === 'image_generation.completed') expect(event.usage.output_tokens).toBe(1056);
  }
  expect(types).toEqual([
    'image_generation.partial_image',
    'image_generation.partial_image',
    'image_generation.completed',
  ]);
});

test('every image of a stream has its own usage, and their sum is the bill', async () => {
  const body = { model: 'sim', prompt: 'A fox', n: 3, quality: 'low', stream: true } as const;
  const usages = [];
  for await (const event of await client.images.generate({ ...body, partial_images: 1 })) {
    if (event.type === 'image_generation.completed') usages.push(event.usage);
  }
  expect(usages.map(({ output_tokens }) => output_tokens)).toEqual([272, 272, 272]);
  expect(usages.map(({ input_tokens }) => input_tokens)).toEqual([2, 0, 0]);
  expect(await firstLine()).toMatchObject({
    units: { images: { count: 3 } },
    usage: { input: 2, imageOutput: 816 },
  });
});

test('uploaded images are edited and varied', async () => {
  const image = [await picture('a.png'), await picture('b.png')];
  const edited = await client.images.edit({ model: 'sim', prompt: 'Red', image, quality: 'high' });
  expect(edited.usage).toMatchObject({
    input_tokens: 1 + 2 * 765,
    output_tokens: 4160,
    input_tokens_details: { text_tokens: 1, image_tokens: 1530 },
  });
  expect(await firstRequest()).toMatchObject({
    model: 'sim',
    body: { prompt: 'Red', quality: 'high', files: [{ filename: 'a.png', bytes: 6 }, {}] },
  });
  const varied = await client.images.createVariation({ image: await picture(), n: 3 });
  expect(varied.data).toHaveLength(3);
  const stream = await client.images.edit({ model: 'sim', prompt: 'Red', image, stream: true });
  const types = [];
  for await (const event of stream) types.push(event.type);
  expect(types).toEqual(['image_edit.completed']);
});

test('speech has a thousand bytes per token, or is events', async () => {
  const request = { model: 'sim', voice: 'alloy', input: 'Hello there' } as const;
  const answer = await client.audio.speech.create(request);
  expect(answer.headers.get('content-type')).toBe('audio/mpeg');
  expect((await answer.arrayBuffer()).byteLength).toBe(3_000);
  expect(await firstLine()).toMatchObject({
    operation: 'speech',
    units: { characters: 11 },
    usage: { input: 3, output: 0, audioOutput: 3 },
  });
  const events = await client.audio.speech.create({ ...request, stream_format: 'sse' });
  const text = await events.text();
  expect(text.match(/speech\.audio\.delta/g)).toHaveLength(3);
  expect(text).toContain(
    '"type":"speech.audio.done","usage":{"input_tokens":3,"output_tokens":3,"total_tokens":6}',
  );
});

test('a transcription has its text and its duration', async () => {
  const ask = async (request: object) =>
    client.audio.transcriptions.create({ model: 'sim', file: await sound(), ...request } as never);
  expect(await ask({})).toEqual({
    text: 'Heard speech.wav.',
    usage: { type: 'duration', seconds: 3 },
  });
  expect(await ask({ response_format: 'text' })).toBe('Heard speech.wav.\n');
  expect(await ask({ response_format: 'srt' })).toBe(
    '1\n00:00:00,000 --> 00:00:03,000\nHeard speech.wav.\n\n',
  );
  expect(await ask({ response_format: 'vtt' })).toMatch(/^WEBVTT\n/);
  expect(
    await ask({ response_format: 'verbose_json', timestamp_granularities: ['word'] }),
  ).toMatchObject({
    duration: 3,
    language: 'english',
    segments: [{ end: 3 }],
    words: [{ word: 'Heard' }, { word: 'speech.wav.' }],
  });
  expect(await ask({ model: 'sim-usage-tokens', prompt: 'Foxes' })).toMatchObject({
    usage: {
      type: 'tokens',
      input_tokens: 32,
      input_token_details: { text_tokens: 2, audio_tokens: 30 },
      output_tokens: 5,
    },
  });
  expect(await firstLine()).toMatchObject({
    operation: 'transcription',
    units: { audioSeconds: 3 },
    generatedTokens: 5,
  });
});

test('a transcription is streamed, its usage in tokens', async () => {
  const file = await sound();
  const stream = await client.audio.transcriptions.create({ model: 'sim', file, stream: true });
  let text = '';
  for await (const event of stream) {
    if (event.type === 'transcript.text.delta') text += event.delta;
    if (event.type === 'transcript.text.done') {
      expect(event).toMatchObject({ text, usage: { input_tokens: 30, output_tokens: 5 } });
    }
  }
  expect(text).toBe('Heard speech.wav.');
});

test('a translation is English, without usage', async () => {
  const file = await sound();
  expect(await client.audio.translations.create({ model: 'sim', file })).toEqual({
    text: 'Heard speech.wav.',
  });
  const verbose = await client.audio.translations.create({
    model: 'sim',
    file,
    response_format: 'verbose_json',
  });
  expect(verbose).toMatchObject({ language: 'english', duration: 3 });
});

test('the cloud-hosted variant serves all of its paths', async () => {
  const model = 'sim-x';
  const messages = [{ role: 'user' as const, content: 'Hi' }];
  await azure.chat.completions.create({ model, messages });
  await azure.completions.create({ model, prompt: 'Hi' });
  await azure.embeddings.create({ model, input: 'Hi' });
  await azure.images.generate({ model, prompt: 'Hi' });
  await azure.audio.speech.create({ model, voice: 'alloy', input: 'Hi' });
  // The SDK finds no deployment in a form, so the test sets it.
  const deployed = new AzureOpenAI({
    endpoint: simulator.url,
    deployment: model,
    apiKey: 'key',
    apiVersion: '2024-10-21',
  });
  await deployed.images.edit({ model, prompt: 'Hi', image: await picture() });
  await deployed.audio.transcriptions.create({ model, file: await sound() });
  await deployed.audio.translations.create({ model, file: await sound() });
  const bill = (await (await fetch(`${simulator.url}/_sim/bill`)).json()) as Bill;
  expect(bill.requests.map(({ operation }) => operation)).toEqual([
    'chat',
    'completions',
    'embeddings',
    'image_generation',
    'speech',
    'image_edit',
    'transcription',
    'translation',
  ]);
  expect(bill.models['sim-x']?.requests).toBe(8);
});
