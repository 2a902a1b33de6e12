// Tools and thinking over two turns: two parallel calls whose arguments the SDK assembles, their
// results, and the sealed reasoning before them. The simulator refuses a seal that is not its own.

import { CELLS, modelOf, startMatrix, type Matrix } from './test-support/matrix';
import type { Tool } from './test-support/sdk';
import { wireBetween, type Wire } from './test-support/upstreams';
import { readWire } from './test-support/wires';

let matrix: Matrix;

beforeAll(async () => {
  matrix = await startMatrix({ models: { chat: '' } });
});
afterAll(() => matrix?.gateway.stop());

const TOOLS: readonly Tool[] = [
  { name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
  { name: 'get_time', parameters: { type: 'object', properties: { zone: { type: 'integer' } } } },
];
const QUESTION = 'get_weather and get_time, „Zürich“ 🦊';

test.each(CELLS)('%s: two calls and their results', async (_, { sdk, upstream, stream }) => {
  const model = modelOf(upstream, 'chat');
  const talk = await matrix.talk(sdk, { model, stream, tools: TOOLS });
  const asked = await talk.ask([QUESTION]);
  expect(asked).toMatchObject({
    text: '',
    calls: [
      { name: 'get_weather', input: { city: QUESTION } },
      { name: 'get_time', input: { zone: 42 } },
    ],
    stop: sdk.stopWords.tool_calls,
  });
  expect(new Set(asked.calls.map(({ id }) => id)).size).toBe(2);

  const told = await talk.answer(({ name }) => (name === 'get_time' ? 'noon' : 'föhn'));
  expect(told).toMatchObject({ text: 'The tool said: föhn noon', stop: sdk.stopWords.stop });

  const wire = wireBetween(sdk, upstream);
  const readings = (await talk.received()).map(({ body }) => readWire(wire, body));
  const tools = ['get_weather', 'get_time'];
  expect(readings).toMatchObject([
    { tools, results: [] },
    { tools, results: ['föhn', 'noon'] },
  ]);
});

/** The formats that return sealed reasoning, and so must get it back. */
const SEALS: Readonly<Record<Wire, boolean>> = {
  'openai-chat': false,
  'openai-responses': true,
  'anthropic-messages': true,
  'gemini-generate': true,
};

test.each(CELLS)('%s: thinking returns sealed', async (_, { sdk, upstream, stream }) => {
  const settings = { model: modelOf(upstream, 'chat'), stream, tools: TOOLS.slice(0, 1) };
  const talk = await matrix.talk(sdk, { ...settings, thinks: true, maxTokens: 4_000 });
  const thought = await talk.ask(['get_weather']);
  expect(thought).toMatchObject({
    thinking: 'hmm hmm hmm ',
    calls: [{ name: 'get_weather' }],
    usage: { reasoning: 3 },
  });
  expect(await talk.answer(() => 'rain')).toMatchObject({ text: 'The tool said: rain' });

  const wire = wireBetween(sdk, upstream);
  const [, replay] = (await talk.received()).map(({ body }) => readWire(wire, body));
  expect(replay?.seals).toHaveLength(SEALS[wire] ? 1 : 0);
});
