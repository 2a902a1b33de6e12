// Streams of servers that deviate from OpenAI's chat format.

import { startSimulator, type Simulator } from './simulator';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.stop());

interface Chunk {
  id: string;
  choices: { delta?: Record<string, unknown>; finish_reason: string | null; usage?: object }[];
  usage?: { total_tokens: number } | null;
  x_groq?: { usage: { total_tokens: number } };
}

async function stream(model: string, body: object = {}): Promise<string> {
  const res = await fetch(`${simulator.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer key', 'content-type': 'application/json' },
    body: JSON.stringify({
      model,
      messages: [{ role: 'user', content: 'Hello there' }],
      stream: true,
      ...body,
    }),
  });
  return res.text();
}

async function chunks(model: string, body: object = {}): Promise<Chunk[]> {
  const lines = (await stream(model, body))
    .split('\n')
    .filter((line) => line.startsWith('data: {'));
  return lines.map((line) => JSON.parse(line.slice(6)) as Chunk);
}

test('usage is in the chunk with the finish reason, without a chunk of its own', async () => {
  const told = await chunks('sim-usage-with-finish');
  expect(told.filter((chunk) => chunk.usage)).toEqual([told.at(-1)]);
  expect(told.at(-1)).toMatchObject({ choices: [{ finish_reason: 'stop' }] });
});

test('usage is in every chunk, and grows', async () => {
  const totals = (await chunks('sim-usage-running')).map((chunk) => chunk.usage?.total_tokens ?? 0);
  expect(totals.toSorted((a, b) => a - b)).toEqual(totals);
  expect(new Set(totals).size).toBeGreaterThan(2);
});

test('usage is in a choice, or in a separate field', async () => {
  const inChoice = (await chunks('sim-usage-in-choice')).at(-1);
  expect(inChoice?.choices[0]?.usage).toBeDefined();
  expect(inChoice?.usage).toBeUndefined();
  const apart = (await chunks('sim-x-groq')).at(-1);
  expect(apart?.x_groq?.usage.total_tokens).toBeGreaterThan(0);
  expect(apart?.usage).toBeUndefined();
});

test('usage is absent where disabled', async () => {
  expect(await stream('sim-usage-running.no-usage')).not.toContain('total_tokens');
});

test('a chunk of filter results has no choices, id or model', async () => {
  const [first, second] = await chunks('sim-prompt-filter');
  expect(first).toMatchObject({ id: '', model: '', choices: [] });
  expect(second?.id).toMatch(/^chatcmpl-/);
});

test('deltas have a role, consist of parts, or are absent', async () => {
  const roles = await chunks('sim-repeat-role');
  expect(roles.every(({ choices }) => choices[0]?.delta?.['role'] === 'assistant')).toBe(true);
  const [, thought] = await chunks('sim-parts.reasoning-2');
  expect(thought?.choices[0]?.delta?.['content']).toMatchObject([{ type: 'thinking' }]);
  const bare = (await chunks('sim-bare-finish')).at(-1);
  expect(bare?.choices[0]).not.toHaveProperty('delta');
});

test('every call has the index 0', async () => {
  const tools = ['alpha', 'beta'].map((name) => ({ type: 'function', function: { name } }));
  const numbered = await chunks('sim-one-index', {
    tools,
    messages: [{ role: 'user', content: 'Use alpha and beta' }],
  });
  const calls = numbered.flatMap(({ choices }) => choices[0]?.delta?.['tool_calls'] ?? []);
  expect(new Set(calls.map((call) => (call as { index: number }).index))).toEqual(new Set([0]));
  expect(new Set(calls.flatMap((call) => (call as { id?: string }).id ?? [])).size).toBe(2);
});

test('spaces are left out, or added around the terminal word', async () => {
  const unspaced = await stream('sim-unspaced');
  expect(unspaced).toMatch(/^data:\{/);
  expect(unspaced).toMatch(/\ndata:\[DONE\]\n\n$/);
  expect(await stream('sim-spaced-done')).toMatch(/\ndata: {2}\[DONE\] \n\n$/);
});
