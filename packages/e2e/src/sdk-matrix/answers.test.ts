// Text, images, structured output, usage and stop reasons: the result in each vendor's SDK from
// every upstream, the request that arrived there, and the booked usage.

import { CELLS, modelOf, startMatrix, type Matrix } from './test-support/matrix';
import { objectIn } from './test-support/sdk';
import { SDKS } from './test-support/sdks';
import { pathBetween, wireBetween, type Upstream } from './test-support/upstreams';
import { readWire } from './test-support/wires';

let matrix: Matrix;

beforeAll(async () => {
  matrix = await startMatrix({
    models: { chat: '', counted: 'input-100.cached-40.reasoning-5', refusing: 'refuse' },
  });
});
afterAll(() => matrix?.gateway.stop());

test.each(CELLS)('%s: text', async (_, { sdk, upstream, stream }) => {
  const model = modelOf(upstream, 'chat');
  const talk = await matrix.talk(sdk, { model, stream });
  expect(await talk.ask(['Grüße, 日本 🦊'])).toMatchObject({
    text: 'You said: Grüße, 日本 🦊',
    thinking: '',
    calls: [],
    stop: sdk.stopWords.stop,
  });
  expect(talk.attempts).toMatchObject([{ status: 200 }]);

  const [request, ...more] = await talk.received();
  expect(more).toEqual([]);
  expect(request?.path).toBe(pathBetween(sdk, upstream, upstream.model, stream));
  expect(request?.model).toBe(upstream.model);
  const [header, prefix] = upstream.key;
  expect(request?.headers[header]).toBe(`${prefix}${matrix.upstreamKey}`);
  expect(JSON.stringify(request)).not.toContain(matrix.key);
  expect(JSON.stringify(request?.body)).toContain('Grüße, 日本 🦊');
  // One format has streaming in its path.
  const inPath = wireBetween(sdk, upstream) === 'gemini-generate';
  expect(objectIn(request?.body)['stream'] ?? false).toBe(stream && !inPath);
});

const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const ADDRESS = 'https://example.com/cat.png';
const TOKENS_PER_IMAGE = 765;

test.each(CELLS)('%s: images, inline and by address', async (_, { sdk, upstream, stream }) => {
  const talk = await matrix.talk(sdk, { model: modelOf(upstream, 'chat'), stream });
  const said = await talk.ask(['What is this?', { image: PIXEL }, { image: ADDRESS }]);
  expect(said.text).toBe('You said: What is this?');
  expect(said.usage.input).toBeGreaterThan(2 * TOKENS_PER_IMAGE);

  const [request] = await talk.received();
  const { images } = readWire(wireBetween(sdk, upstream), request?.body);
  expect(images).toEqual([PIXEL, ADDRESS]);
});

test.each(CELLS)('%s: structured output, parsed', async (_, { sdk, upstream, stream }) => {
  const settings = { model: modelOf(upstream, 'chat'), stream, structured: true };
  const talk = await matrix.talk(sdk, settings);
  const said = await talk.ask(['Zürich 🦊']);
  expect(said.parsed).toEqual({ city: 'Zürich 🦊', celsius: 42 });
  expect(said.stop).toBe(sdk.stopWords.stop);

  const [request] = await talk.received();
  const { schema } = readWire(wireBetween(sdk, upstream), request?.body);
  expect(schema).toEqual(['city', 'celsius']);
});

// One test per SDK, because records take a moment to be written.
test.each(SDKS)('$name: usage of every upstream is the booked usage', async (sdk) => {
  const booked: { name: string; id: string; stream: boolean }[] = [];
  const usage = { input: 60, cacheRead: 40, output: 11, reasoning: 5 };
  for (const [name, { upstream, stream }] of CELLS.filter(([, cell]) => cell.sdk === sdk)) {
    const talk = await matrix.talk(sdk, { model: modelOf(upstream, 'counted'), stream });
    const said = await talk.ask(['Hello there']);
    expect({ name, usage: said.usage }).toEqual({ name, usage });
    booked.push({ name, id: talk.requestId(), stream });
  }
  const tokens = { ...usage, cacheWrite5m: 0, cacheWrite1h: 0, audioInput: 0, audioOutput: 0 };
  for (const { name, id, stream } of booked) {
    const record = await matrix.recordOf(id);
    const expected = { outcome: 'COMPLETED', usageQuality: 'EXACT', stream, tokens };
    expect({ name, record }).toMatchObject({ name, record: expected });
  }
});

describe('stop reasons', () => {
  test.each(CELLS)('%s: at the bound', async (_, { sdk, upstream, stream }) => {
    const settings = { model: modelOf(upstream, 'chat'), stream, maxTokens: 2 };
    const talk = await matrix.talk(sdk, settings);
    expect(await talk.ask(['Hello there'])).toMatchObject({
      text: 'You said',
      stop: sdk.stopWords.length,
      usage: { output: 2 },
    });
  });

  // The responses format has no stop sequences.
  const sequences = CELLS.filter(([, { sdk }]) => sdk.format !== 'openai-responses');
  test.each(sequences)('%s: at a sequence', async (_, { sdk, upstream, stream }) => {
    const settings = { model: modelOf(upstream, 'chat'), stream, stopSequence: 'there' };
    const talk = await matrix.talk(sdk, settings);
    const said = await talk.ask(['Hello there and then']);
    expect(said.text).toBe('You said: Hello ');
    expect(said.stop).toBe(
      tellsSequences(upstream) ? sdk.stopWords.stop_sequence : sdk.stopWords.stop,
    );
  });

  test.each(CELLS)('%s: by a refusal', async (_, { sdk, upstream, stream }) => {
    const talk = await matrix.talk(sdk, { model: modelOf(upstream, 'refusing'), stream });
    const said = await talk.ask(['Hello there']);
    const spelled = wireBetween(sdk, upstream).startsWith('openai');
    expect(said.stop).toBe(spelled ? sdk.stopWords.refusal : sdk.stopWords.filter);
    if (spelled) expect(said.text).toBe('I cannot help with that.');
  });
});

/** Whether an upstream distinguishes a stop sequence from another end. */
function tellsSequences({ wire }: Upstream): boolean {
  return wire === 'anthropic-messages';
}
