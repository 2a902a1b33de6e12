import { startSimulator, type Bill, type Simulator } from '.';

// The prompt caches of the four formats: what is read, what is not, and what the bill says.

let simulator: Simulator;
beforeEach(async () => {
  simulator = await startSimulator();
});
afterEach(() => simulator.stop());

const LONG = 'All work and no play. '.repeat(400); // 2,200 tokens
const MODEL = 'sim-caches';

type Answer = Record<'usage' | 'usageMetadata', Record<string, Record<string, number>>>;

interface Asked {
  path: string;
  body: (turns: readonly string[]) => object;
  cached: (answer: Answer) => unknown;
}

const FORMATS: Record<string, Asked> = {
  chat: {
    path: '/v1/chat/completions',
    body: (turns) => ({
      model: MODEL,
      messages: [
        { role: 'system', content: LONG },
        ...turns.map((content, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content })),
      ],
    }),
    cached: ({ usage }) => usage['prompt_tokens_details']?.['cached_tokens'],
  },
  responses: {
    path: '/v1/responses',
    body: (turns) => ({
      model: MODEL,
      instructions: LONG,
      input: turns.map((content, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content })),
    }),
    cached: ({ usage }) => usage['input_tokens_details']?.['cached_tokens'],
  },
  gemini: {
    path: `/v1beta/models/${MODEL}:generateContent`,
    body: (turns) => ({
      systemInstruction: { parts: [{ text: LONG }] },
      contents: turns.map((text, at) => ({
        role: at % 2 === 0 ? 'user' : 'model',
        parts: [{ text }],
      })),
    }),
    cached: ({ usageMetadata }) => usageMetadata['cachedContentTokenCount'] ?? 0,
  },
  messages: {
    path: '/v1/messages',
    body: (turns) => ({
      model: MODEL,
      max_tokens: 100,
      system: LONG,
      // The mark moves to the last turn, as agents do it.
      messages: turns.map((text, at) => ({
        role: at % 2 === 0 ? 'user' : 'assistant',
        content: [
          at === turns.length - 1
            ? { type: 'text', text, cache_control: { type: 'ephemeral' } }
            : { type: 'text', text },
        ],
      })),
    }),
    cached: ({ usage }) => usage['cache_read_input_tokens'],
  },
};

async function ask(format: Asked, turns: readonly string[], key = 'key', more: object = {}) {
  const answer = await fetch(`${simulator.url}${format.path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'x-goog-api-key': key,
      'anthropic-version': '2023-06-01',
      'content-type': 'application/json',
    },
    body: JSON.stringify({ ...format.body(turns), ...more }),
  });
  expect(answer.status).toBe(200);
  return format.cached((await answer.json()) as Answer);
}

const billed = async (): Promise<Bill> =>
  (await (await fetch(`${simulator.url}/_sim/bill`)).json()) as Bill;

test.each(['chat', 'responses', 'gemini'] as const)(
  '%s reads what an earlier turn began with, in steps of 128, and the bill says so',
  async (name) => {
    const format = FORMATS[name] as Asked;
    expect(await ask(format, ['Hello'])).toBe(0);
    const cached = await ask(format, ['Hello', 'Hi', 'What now?']);
    expect(cached).toBe(17 * 128);
    expect((await billed()).total).toMatchObject({ cacheRead: 17 * 128, cacheWrite: 0 });
  },
);

test('messages read up to the mark of the earlier turn, and write the rest', async () => {
  const format = FORMATS['messages'] as Asked;
  expect(await ask(format, ['Hello'])).toBe(0);
  const first = (await billed()).total;
  expect(first).toMatchObject({ cacheRead: 0, cacheWrite: first.input + first.cacheWrite });
  expect(await ask(format, ['Hello', 'Hi', 'What now?'])).toBe(first.cacheWrite);
});

test('a mark more than 20 blocks further finds nothing', async () => {
  const format = FORMATS['messages'] as Asked;
  await ask(format, ['Hello']);
  const far = ['Hello', ...Array.from({ length: 20 }, (_, at) => `turn ${at}`)];
  expect(await ask(format, far)).toBeGreaterThan(2_000);
  expect(await ask(format, ['Hello', ...Array.from({ length: 22 }, (_, at) => `more ${at}`)])).toBe(
    0,
  );
});

test.each(Object.entries(FORMATS))(
  '%s: another key, another beginning or a short prompt reads nothing',
  async (_, format) => {
    await ask(format, ['Hello']);
    expect(await ask(format, ['Hello', 'Hi', 'More'], 'another')).toBe(0);
    const beginning = { system: `!${LONG}`, instructions: `!${LONG}` };
    const changed = format.path.includes('chat')
      ? { messages: [{ role: 'system', content: `!${LONG}` }] }
      : { ...beginning, systemInstruction: { parts: [{ text: `!${LONG}` }] } };
    expect(await ask(format, ['Hello', 'Hi', 'More'], 'key', changed)).toBe(0);
    const short = { system: 'Short', instructions: 'Short' };
    const shortened = format.path.includes('chat')
      ? { messages: [{ role: 'user', content: 'Short' }] }
      : { ...short, systemInstruction: { parts: [{ text: 'Short' }] } };
    for (const _ of [1, 2]) expect(await ask(format, ['Hello'], 'key', shortened)).toBe(0);
  },
);

test('a prefix is kept for its time after the last use', async () => {
  const format = FORMATS['chat'] as Asked;
  const forgetful = { model: 'sim-caches.cache-ttl-0' };
  await ask(format, ['Hello'], 'key', forgetful);
  expect(await ask(format, ['Hello'], 'key', forgetful)).toBe(0);
});

test('another prompt_cache_key reaches another machine', async () => {
  const format = FORMATS['chat'] as Asked;
  await ask(format, ['Hello'], 'key', { prompt_cache_key: 'a' });
  expect(await ask(format, ['Hello'], 'key', { prompt_cache_key: 'b' })).toBe(0);
  expect(await ask(format, ['Hello'], 'key', { prompt_cache_key: 'a' })).toBe(17 * 128);
});

test('without the directive nothing is cached', async () => {
  const format = FORMATS['chat'] as Asked;
  for (const _ of [1, 2]) expect(await ask(format, ['Hello'], 'key', { model: 'sim' })).toBe(0);
});
