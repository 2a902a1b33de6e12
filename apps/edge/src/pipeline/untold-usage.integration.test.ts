// Answers without reported usage: a translated answer contains the gateway's estimate, which is
// also booked. Also covers the input and stop fields of messages answers.

import { startSimulator, type Simulator } from '@tollgate/simulator';

import { connection } from '../test-support/fake-catalog';
import { allow, candidate, chat, startHarness, type Harness } from '../test-support/harness';

let simulator: Simulator;
let h: Harness;
beforeAll(async () => {
  simulator = await startSimulator();
  h = await startHarness();
  for (const [format, root] of [
    ['openai', '/v1'],
    ['anthropic', ''],
  ] as const) {
    const material = { providerId: `sim-${format}`, baseUrl: simulator.url + root };
    h.catalog.connections.set(
      `sim-${format}:1`,
      connection({ ...material, upstreamFormat: format, providerType: TYPES[format] }),
    );
  }
});
beforeEach(() => h.reset());
afterAll(async () => {
  await h.stop();
  await simulator.stop();
});

const TYPES = { openai: 'PROVIDER_A', anthropic: 'PROVIDER_B' } as const;

function answerFrom(upstreamFormat: keyof typeof TYPES, upstreamModel: string): void {
  const providerType = TYPES[upstreamFormat];
  const over = { upstreamFormat, providerType, providerId: `sim-${upstreamFormat}`, upstreamModel };
  h.policy.decide = () => allow([candidate(over)]);
}

const messages = [{ role: 'user', content: 'Hello there, how is the weather in Bern?' }];
const asked = { model: 'm', max_tokens: 100, messages };

/** The last value of a count in a stream. */
function lastCount(text: string, name: string): number {
  return Number([...text.matchAll(new RegExp(`"${name}":(\\d+)`, 'g'))].at(-1)?.[1]);
}

test('a messages stream ends with the booked usage', async () => {
  answerFrom('openai', 'sim-no-usage.tokens-20');
  const text = await (await h.post('/v1/messages', { ...asked, stream: true })).text();
  const { usage, usageQuality } = await h.settled();
  expect(usageQuality).toBe('ESTIMATED');
  expect(lastCount(text, 'output_tokens')).toBe(Number(usage?.output));
  expect(Number(usage?.output)).toBeGreaterThan(5);
  expect(lastCount(text, 'input_tokens')).toBe(Number(usage?.input));
  expect(text.trimEnd()).toMatch(/"message_stop"\}$/);
});

test.each(['/v1/messages', '/v1/responses', '/v1beta/models/m:generateContent'])(
  'an answer of %s with estimated usage is marked in a header',
  async (path) => {
    answerFrom(path === '/v1/responses' ? 'anthropic' : 'openai', 'sim-no-usage.tokens-20');
    const contents = [{ role: 'user', parts: [{ text: 'Hi' }] }];
    const bodies = {
      gemini: { contents },
      messages: asked,
      responses: { model: 'm', input: 'Hi' },
    };
    const kind = path.includes('models/')
      ? 'gemini'
      : path === '/v1/messages'
        ? 'messages'
        : 'responses';
    const response = await h.post(path, bodies[kind]);
    expect(response.headers.get('x-tollgate-usage')).toBe('estimated');
    expect(await response.text()).toMatch(/"(output_tokens|candidatesTokenCount)":[1-9]/);
  },
);

test('an answer with reported usage is not marked as estimated', async () => {
  answerFrom('openai', 'sim-tokens-20');
  const response = await h.post('/v1/messages', asked);
  expect(response.headers.get('x-tollgate-usage')).toBeNull();
});

describe.each([
  ['/v1/messages', (line: string) => `: ${line}\n`],
  ['/v1/chat/completions', (line: string) => `: ${line}\n\n`],
  ['/v1/llm/chat', (line: string) => `"comment":"${line}"}\n\n`],
])('a stream of %s that is asked for its cost', (path, written) => {
  const line = written('x-tollgate-usage: estimated');
  const stream = async (headers: Record<string, string>) =>
    (await h.post(path, { ...asked, stream: true }, headers)).text();
  const costAsked = { 'x-tollgate-stream-cost': 'true' };

  test('marks an estimated usage', async () => {
    answerFrom('openai', 'sim-no-usage.tokens-20');
    const text = await stream(costAsked);
    expect(text).toContain(line);
    expect(text.indexOf('x-tollgate-usage')).toBeLessThan(text.indexOf('x-tollgate-cost-usd'));
    expect((await h.settled()).usageQuality).toBe('ESTIMATED');
  });

  test('has no mark if the upstream reports usage, or if the cost was not asked for', async () => {
    answerFrom('openai', 'sim-tokens-20');
    expect(await stream(costAsked)).not.toContain('x-tollgate-usage');
    answerFrom('openai', 'sim-no-usage.tokens-20');
    expect(await stream({})).not.toContain('x-tollgate-usage');
  });
});

test('a messages stream starts with an estimate of its input', async () => {
  answerFrom('openai', 'sim-tokens-3');
  const text = await (await h.post('/v1/messages', { ...asked, stream: true })).text();
  const [start = ''] = text.split('\n\n');
  expect(start).toContain('message_start');
  expect(lastCount(start, 'input_tokens')).toBeGreaterThan(5);
});

describe.each([false, true])('a messages answer, streamed: %s,', (stream) => {
  const answers = (finish: object, content = 'one STOP'): void => {
    h.upstream.script = (res) => {
      const choice = { index: 0, finish_reason: 'stop', ...finish };
      const head = { id: 'c', model: 'm' };
      if (!stream) {
        res.writeHead(200, { 'content-type': 'application/json' });
        res.end(JSON.stringify({ ...head, choices: [{ ...choice, message: { content } }] }));
        return;
      }
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      const chunk = {
        ...head,
        choices: [{ ...choice, delta: { content, reasoning_content: '' } }],
      };
      res.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
    };
  };
  const ask = async (): Promise<string> =>
    (await h.post('/v1/messages', { ...asked, stream, stop_sequences: ['HALT', 'STOP'] })).text();

  test.each([
    ['vLLM names it', { stop_reason: 'HALT' }, 'one ', 'HALT'],
    ['SGLang names it', { matched_stop: 'HALT' }, 'one ', 'HALT'],
    ['the text shows it', {}, 'one STOP', 'STOP'],
  ])('names the stop sequence if %s', async (_, finish, content, sequence) => {
    answers(finish, content);
    expect(await ask()).toContain(`"stop_reason":"stop_sequence","stop_sequence":"${sequence}"`);
  });

  test('names no stop sequence without one, and has no empty thinking', async () => {
    answers({}, 'one');
    const text = await ask();
    expect(text).toContain('"stop_reason":"end_turn","stop_sequence":null');
    expect(text).not.toContain('"type":"thinking"');
  });
});

test('a chat stream of a client that asked for usage has the estimate', async () => {
  answerFrom('anthropic', 'sim-no-usage.tokens-20');
  const options = { stream: true, stream_options: { include_usage: true } };
  const text = await (await h.post('/v1/chat/completions', chat(options))).text();
  const { usage } = await h.settled();
  expect(lastCount(text, 'completion_tokens')).toBe(Number(usage?.output));
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
});
