// Streams of servers that imitate OpenAI's chat format with deviations. The client reads them as
// OpenAI's SDK expects, and they are booked in full.

import { startSimulator, type Simulator } from '@tollgate/simulator';

import { connection } from '../test-support/fake-catalog';
import { allow, candidate, chat, startHarness, type Harness } from '../test-support/harness';

let simulator: Simulator;
let h: Harness;
beforeAll(async () => {
  simulator = await startSimulator();
  h = await startHarness();
  h.catalog.connections.set('sim:1', connection({ baseUrl: `${simulator.url}/v1` }));
});
beforeEach(() => h.reset());
afterAll(async () => {
  await h.stop();
  await simulator.stop();
});

function upstream(shape: string): void {
  const upstreamModel = `sim-tokens-6.input-40.${shape}`;
  h.policy.decide = () => allow([candidate({ providerId: 'sim', upstreamModel })]);
}

interface Chunk {
  choices: { delta?: { content?: string } }[];
  usage?: object | null;
}

/** The events of a stream, which must end with `[DONE]`. */
function chunksOf(text: string): Chunk[] {
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
  const lines = text.split('\n').filter((line) => line.startsWith('data:'));
  return lines.slice(0, -1).map((line) => JSON.parse(line.slice('data:'.length)) as Chunk);
}

const SHAPES = [
  '',
  'usage-with-finish',
  'usage-running',
  'usage-in-choice',
  'x-groq',
  'prompt-filter',
  'bare-finish.usage-with-finish',
  'repeat-role.usage-running',
  'parts',
  'unspaced.usage-running',
  'spaced-done.usage-with-finish',
];
const TOTALS = { prompt_tokens: 40, completion_tokens: 6, total_tokens: 46 };

describe.each(SHAPES)('an upstream of the shape "%s"', (shape) => {
  test('sends its totals once, before the end, if the client asked for usage', async () => {
    upstream(shape);
    const asked = { stream: true, stream_options: { include_usage: true } };
    const text = await (await h.post('/v1/chat/completions', chat(asked))).text();
    const chunks = chunksOf(text);
    expect(chunks.filter(({ usage }) => usage)).toEqual([chunks.at(-1)]);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: TOTALS });
    expect(await h.settled()).toMatchObject({
      usage: { input: 40, output: 6 },
      usageQuality: 'EXACT',
    });
  });

  test('hides its totals if the client did not ask for usage', async () => {
    upstream(shape);
    const text = await (await h.post('/v1/chat/completions', chat({ stream: true }))).text();
    const chunks = chunksOf(text);
    expect(chunks.filter(({ usage }) => usage)).toEqual([]);
    expect(chunks.filter(({ choices }) => choices.length > 0).length).toBeGreaterThan(6);
    expect(await h.settled()).toMatchObject({ usage: { input: 40, output: 6 } });
  });

  test('is translated completely', async () => {
    upstream(`${shape}.reasoning-2`);
    const messages = [{ role: 'user', content: 'Hi' }];
    const body = { model: 'house-model', max_tokens: 100, stream: true, messages };
    const text = await (await h.post('/v1/messages', body)).text();
    const said = [...text.matchAll(/"text_delta","text":("[^"]*")/g)].map(([, json]) => json);
    const thought = [...text.matchAll(/"thinking_delta"/g)];
    expect(said.map((json) => JSON.parse(String(json)) as string).join('')).toMatch(/^\S/);
    expect(thought).toHaveLength(2);
    expect(text).toMatch(/"type":"message_delta".*"input_tokens":40,.*"output_tokens":8,/);
    expect(text.trimEnd()).toMatch(/"type":"message_stop"\}$/);
    expect(await h.settled()).toMatchObject({ usage: { input: 40, output: 8 } });
  });
});

test('running usage is passed on to a client that asked for it', async () => {
  upstream('usage-running');
  const stream_options = { include_usage: true, continuous_usage_stats: true };
  const asked = chat({ stream: true, stream_options });
  const chunks = chunksOf(await (await h.post('/v1/chat/completions', asked)).text());
  expect(chunks.filter(({ usage }) => usage)).toHaveLength(chunks.length);
});

test('calls that all have the index 0 stay separate calls', async () => {
  upstream('one-index');
  const tools = ['alpha', 'beta'].map((name) => ({
    name,
    input_schema: { type: 'object', properties: { city: { type: 'string' } } },
  }));
  const messages = [{ role: 'user', content: 'Use alpha and beta' }];
  const body = { model: 'house-model', max_tokens: 900, stream: true, messages, tools };
  const text = await (await h.post('/v1/messages', body)).text();
  expect(
    [...text.matchAll(/"type":"tool_use","id":"[^"]*","name":"(\w+)"/g)].map(([, n]) => n),
  ).toEqual(['alpha', 'beta']);
});

test('a completion has its totals once, wherever the upstream sent them', async () => {
  const usage = { prompt_tokens: 4, completion_tokens: 2, total_tokens: 6 };
  const event = (text: string): string =>
    `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, text }], usage })}\n\n`;
  h.upstream.script = (res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.end(`${event('a')}${event('b')}data:[DONE]\n\n`);
  };
  const asked = { stream: true, stream_options: { include_usage: true } };
  const body = { model: 'house-model', prompt: 'Hi', ...asked };
  const text = await (await h.post('/v1/completions', body)).text();
  expect(text.match(/"prompt_tokens"/g)).toHaveLength(1);
  expect(text).toContain('"choices":[],"usage":{"prompt_tokens":4');
});
