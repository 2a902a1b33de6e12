// What clients and records are told of aliases, and of names that come to an end.

import type { Retirement } from '@tollgate/contracts/node';
import { startSimulator, type Simulator } from '@tollgate/simulator';

import { connection } from '../test-support/fake-catalog';
import {
  allow,
  candidate,
  deny,
  errorOf,
  startHarness,
  type Harness,
} from '../test-support/harness';

let simulator: Simulator;
let h: Harness;
beforeAll(async () => {
  simulator = await startSimulator();
  h = await startHarness();
  const material = { providerId: 'sim', baseUrl: `${simulator.url}/v1` };
  h.catalog.connections.set('sim:1', connection(material));
});
beforeEach(() => h.reset());
afterAll(async () => {
  await h.stop();
  await simulator.stop();
});

const NAME = 'claude-fast';
const ENDING: Retirement = {
  name: NAME,
  deprecatedAtMs: Date.UTC(2026, 5, 30, 12, 0, 0, 500),
  sunsetAtMs: Date.UTC(2026, 11, 31, 23, 59, 59),
  replacement: 'acme/newer',
  url: 'https://example.com/ends?of=claude-fast',
};
const DATES = { deprecation: '@1782820800', sunset: 'Thu, 31 Dec 2026 23:59:59 GMT' };
const PAGE = '<https://example.com/ends?of=claude-fast>; rel="deprecation"; type="text/html"';

const messages = [{ role: 'user', content: 'Hi' }];
const contents = [{ role: 'user', parts: [{ text: 'Hi' }] }];
const gemini = `/v1beta/models/${NAME}`;
const CHATS: readonly [string, string, object, string][] = [
  ['chat', '/v1/chat/completions', { messages }, '/v1/models/'],
  ['a stream of chat', '/v1/chat/completions', { messages, stream: true }, '/v1/models/'],
  ['unified', '/v1/llm/chat', { messages }, '/v1/models/'],
  ['a unified stream', '/v1/llm/chat', { messages, stream: true }, '/v1/models/'],
  ['responses', '/v1/responses', { input: 'Hi' }, '/v1/models/'],
  ['a stream of responses', '/v1/responses', { input: 'Hi', stream: true }, '/v1/models/'],
  ['messages', '/v1/messages', { messages, max_tokens: 50 }, '/v1/models/'],
  [
    'a stream of messages',
    '/v1/messages',
    { messages, max_tokens: 50, stream: true },
    '/v1/models/',
  ],
  ['gemini', `${gemini}:generateContent`, { contents }, '/v1beta/models/'],
  ['a gemini stream', `${gemini}:streamGenerateContent?alt=sse`, { contents }, '/v1beta/models/'],
  ['vllm', '/v1/vllm/chat/completions', { messages }, '/v1/vllm/models/'],
];

function told({ headers }: Response): Record<string, string | null> {
  const names = ['deprecation', 'sunset', 'link'];
  return Object.fromEntries(names.map((name) => [name, headers.get(name)]));
}

function answerWith(retirement: Retirement | null): void {
  const over = { providerId: 'sim', modelName: 'small', upstreamModel: 'sim-chat' };
  const reply = allow([candidate(over)]);
  h.policy.decide = () => ({ allow: { ...reply.allow, retirement } });
}

describe.each(CHATS)('%s', (_what, path, body, models) => {
  const post = () => h.post(path, path.startsWith('/v1beta') ? body : { model: NAME, ...body });

  test('tells of the end of the name, and records who was asked for and who answered', async () => {
    answerWith(ENDING);
    const response = await post();
    expect(response.status).toBe(200);
    const link = `${PAGE}, <${models}acme%2Fnewer>; rel="successor-version"`;
    expect(told(response)).toEqual({ ...DATES, link });
    expect(response.headers.get('x-tollgate-model')).toBe('small');
    const text = await response.text();
    expect(text).toContain(NAME);
    expect(text).not.toContain('"small"');
    const { requestedModel, modelId } = await h.settled();
    expect({ requestedModel, modelId }).toEqual({ requestedModel: NAME, modelId: 'model-1' });
  });

  test('a name past its sunset is refused as an unknown one, with the same headers', async () => {
    h.policy.decide = () =>
      deny('model_not_found', { message: 'Use "acme/newer" instead.', retirement: ENDING });
    const response = await post();
    expect(response.status).toBe(path === '/v1/llm/chat' ? 400 : 404);
    expect(told(response)).toMatchObject(DATES);
    const { message } = await errorOf(response);
    expect(message).toContain('Use "acme/newer" instead.');
  });
});

test('only what was announced is told', async () => {
  const none = { ...ENDING, replacement: '', url: '', deprecatedAtMs: 0 };
  const post = () => h.post('/v1/chat/completions', { model: NAME, messages });
  answerWith(none);
  expect(told(await post())).toEqual({ deprecation: null, sunset: DATES.sunset, link: null });
  answerWith({ ...none, sunsetAtMs: 0, deprecatedAtMs: ENDING.deprecatedAtMs ?? 0 });
  expect(told(await post())).toEqual({ ...DATES, sunset: null, link: null });
  answerWith(null);
  expect(told(await post())).toEqual({ deprecation: null, sunset: null, link: null });
});

test('the record of a model that is asked for by its own name does not repeat it', async () => {
  answerWith(null);
  expect((await h.post('/v1/chat/completions', { model: 'small', messages })).status).toBe(200);
  expect((await h.settled()).requestedModel).toBe('');
});
