// Bills computed by hand for answers that are not text: vectors, images and audio. A model has
// either a price per unit (pieces, seconds) or a price per token. The prices are examples.

import { parseUsd, type Operation } from '@tollgate/contracts';
import type { Candidate__Output } from '@tollgate/contracts/node';

import type { JsonObject } from '.';
import { chargeFor } from '../exchange/charge';
import { readJob, type Target } from '../operations';
import type { Form, FormFile } from '../uploads';
import { answerOf } from '../upstream/answer-body';

interface Bill {
  name: string;
  operation: Operation;
  request: JsonObject;
  answer: JsonObject | string;
  type?: string;
  /** USD per million tokens. */
  tokens?: { input?: string; audioInput?: string; output?: string; audioOutput?: string };
  /** USD per unit. */
  units?: Record<string, string>;
  nanoUsd: bigint;
}

const PICTURES = { created: 1, data: [{ url: 'https://a.test/1' }, { url: 'https://a.test/2' }] };

const BILLS: Bill[] = [
  {
    name: 'vectors, by the tokens of the input',
    operation: 'embeddings',
    request: { input: 'The food was delicious' },
    answer: {
      object: 'list',
      model: 'up',
      data: [{ object: 'embedding', index: 0, embedding: [0.1, 0.2] }],
      usage: { prompt_tokens: 5, total_tokens: 5 },
    },
    tokens: { input: '0.02' },
    // 5 at 20
    nanoUsd: 100n,
  },
  {
    name: 'vectors of a server that reports only a total',
    operation: 'embeddings',
    request: { input: ['a', 'b'] },
    answer: { object: 'list', data: [], usage: { total_tokens: 7 } },
    tokens: { input: '0.0375' },
    // 7 at 37.5 = 262.5, rounded up
    nanoUsd: 263n,
  },
  {
    name: 'a ranking, per document',
    operation: 'rerank',
    request: { query: 'q', documents: ['a', 'b', 'c'] },
    answer: { results: [], usage: { total_tokens: 30 } },
    units: { document: '0.00005' },
    // 3 at 50 000
    nanoUsd: 150_000n,
  },
  {
    name: 'images of a size and a quality with their own price',
    operation: 'image_generation',
    request: { prompt: 'A cat', n: 2, size: '1024x1792', quality: 'hd' },
    answer: PICTURES,
    units: { image_hd_1024x1792: '0.12', image: '0.04' },
    // 2 at 120 000 000
    nanoUsd: 240_000_000n,
  },
  {
    name: 'images of a size without its own price: the price of any image',
    operation: 'image_generation',
    request: { prompt: 'A cat', n: 2, size: '512x512' },
    answer: PICTURES,
    units: { image_hd_1024x1792: '0.12', image: '0.04' },
    // 2 at 40 000 000
    nanoUsd: 80_000_000n,
  },
  {
    name: 'the returned number of images, not the requested one',
    operation: 'image_generation',
    request: { prompt: 'A cat', n: 4, size: '1024x1024' },
    answer: PICTURES,
    units: { image_standard_1024x1024: '0.04' },
    // 2 at 40 000 000
    nanoUsd: 80_000_000n,
  },
  {
    name: 'an image, by tokens',
    operation: 'image_generation',
    request: { prompt: 'A cat', size: '1024x1024', quality: 'medium' },
    answer: {
      created: 1,
      size: '1024x1024',
      quality: 'medium',
      data: [{ b64_json: 'AAAA' }],
      usage: {
        input_tokens: 50,
        input_tokens_details: { text_tokens: 50, image_tokens: 0 },
        output_tokens: 1_056,
        total_tokens: 1_106,
      },
    },
    tokens: { input: '5.00', output: '40.00' },
    // 50 at 5 000 = 250 000, 1 056 at 40 000 = 42 240 000
    nanoUsd: 42_490_000n,
  },
  {
    name: 'transcription, by the second',
    operation: 'transcription',
    request: {},
    answer: { text: 'Hello', usage: { type: 'duration', seconds: 12.5 } },
    units: { audio_second: '0.0001' },
    // 12.5 at 100 000
    nanoUsd: 1_250_000n,
  },
  {
    name: 'transcription, by a fractional duration',
    operation: 'transcription',
    request: { response_format: 'verbose_json' },
    answer: { task: 'transcribe', duration: 8.470000267, text: 'Hello', segments: [] },
    units: { audio_second: '0.0001' },
    // 8.470000267 at 100 000 = 847 000.0267, rounded up
    nanoUsd: 847_001n,
  },
  {
    name: 'subtitles, to the end of the last one',
    operation: 'translation',
    request: { response_format: 'srt' },
    answer: '1\n00:00:00,000 --> 00:00:02,500\nHello\n\n2\n00:01:00,000 --> 00:01:02,250\nBye\n',
    type: 'text/plain',
    units: { audio_second: '0.0001' },
    // 62.25 at 100 000
    nanoUsd: 6_225_000n,
  },
  {
    name: 'transcription, by tokens',
    operation: 'transcription',
    request: { prompt: 'Names: Ann' },
    answer: {
      text: 'Hello',
      usage: {
        type: 'tokens',
        input_tokens: 150,
        input_token_details: { text_tokens: 10, audio_tokens: 140 },
        output_tokens: 40,
        total_tokens: 190,
      },
    },
    tokens: { input: '2.50', audioInput: '6.00', output: '10.00' },
    // 10 at 2 500 = 25 000, 140 at 6 000 = 840 000, 40 at 10 000 = 400 000
    nanoUsd: 1_265_000n,
  },
  {
    name: 'speech, by visible characters',
    operation: 'speech',
    request: { input: 'Hello, Jürgen 👋', voice: 'alloy' },
    answer: 'ID3',
    type: 'audio/mpeg',
    units: { character: '0.000015' },
    // 15 at 15 000
    nanoUsd: 225_000n,
  },
  {
    name: 'a moderation, which is free',
    operation: 'moderation',
    request: { input: 'Hello' },
    answer: { id: 'm', model: 'up', results: [] },
    tokens: { input: '0' },
    nanoUsd: 0n,
  },
];

const target: Target = {
  endpoint: { upstreamFormat: 'openai', operation: 'chat', format: 'openai-chat', path: '/' },
  providerType: 'PROVIDER_A',
  model: 'up',
  maxOutputTokens: 0,
  maxToolCalls: 0,
  strict: false,
  context: { requestId: 'req-1', provider: 'provider_a', model: 'm', createdAtS: 1 },
};

const HEARD: ReadonlySet<Operation> = new Set(['transcription', 'translation']);

const recording: FormFile = {
  kind: 'file',
  name: 'file',
  filename: 'a.mp3',
  contentType: 'audio/mpeg',
  bytes: 16_000,
  head: Buffer.from('ID3'),
  async *read() {
    yield Buffer.from('ID3');
  },
};

function jobOf({ operation, request }: Bill) {
  const body: JsonObject = { model: 'm', ...request };
  if (!HEARD.has(operation)) {
    const received = { json: body, bytes: Buffer.from(JSON.stringify(body)) };
    return readJob(operation, 'openai-chat', received, {});
  }
  const fields = Object.entries(body).map(([name, value]) => ({
    kind: 'field' as const,
    name,
    value: String(value),
    contentType: 'text/plain',
  }));
  const form: Form = { parts: [...fields, recording], dispose: () => Promise.resolve() };
  return readJob(operation, 'openai-chat', { form }, {});
}

function candidateOf({ tokens = {}, units = {} }: Bill): Candidate__Output {
  const perMillion = Object.entries(tokens).map(([name, usd]) => [name, String(parseUsd(usd))]);
  const perUnit = Object.entries(units).map(([name, usd]) => [name, String(parseUsd(usd))]);
  const step = { fromInputTokens: 0, ...Object.fromEntries(perMillion) };
  const price = { priceId: 'p', steps: [step], perUnitNanoUsd: Object.fromEntries(perUnit) };
  // The bill reads only these fields of a candidate.
  return { price, serviceTier: '' } as unknown as Candidate__Output;
}

test.each(BILLS)('$operation: $name', (bill) => {
  const { answer, type = 'application/json' } = bill;
  const text = typeof answer === 'string' ? answer : JSON.stringify(answer);
  const adapter = jobOf(bill).adapter(target);
  const headers = { 'content-type': type };
  // Audio is passed on without buffering, so its units are counted chunk by chunk.
  const passage = adapter.follow(headers);
  passage?.push(Buffer.from(text));
  passage?.finish();
  const took = passage ? passage.report : adapter.read(answerOf(Buffer.from(text)), headers).report;
  expect(chargeFor(candidateOf(bill), took).costNanoUsd).toBe(bill.nanoUsd);
});
