// Each route of the table that takes a text is screened, whatever its format is.

import { ROUTES, type Route } from '../routes';
import { answerTo, bodyFor, form, pathFor, sound } from '../test-support/bodies';
import { MODEL, startHarness, type Harness } from '../test-support/harness';
import { CANARY, screens, withText } from './test-support/rules';

let h: Harness;
beforeAll(async () => {
  h = await startHarness();
});
beforeEach(() => h.reset());
afterAll(() => h.stop());

const rows = ROUTES.map((route) => [`${route.method} ${route.path}`, route] as const);

/** A body with the text wherever the operation has one; undefined: it has none. */
function bodyWith(route: Route, text: string): object | FormData | undefined {
  const hears = route.operation === 'transcription' || route.operation === 'translation';
  const body = hears ? form({ model: MODEL, prompt: 'Hi', file: sound() }) : bodyFor(route);
  const changed = withText(body, text);
  return printed(changed).includes(text) ? changed : undefined;
}

function printed(body: object | FormData): string {
  return JSON.stringify(body instanceof FormData ? [...body.values()] : body);
}

/** A provider that has the operation itself. */
function upstreamOf({ family, operation }: Route) {
  if (family === 'vllm') return { providerType: 'PROVIDER_D', upstreamFormat: 'vllm' } as const;
  if (operation === 'count_tokens') {
    return family === 'gemini'
      ? ({ providerType: 'PROVIDER_C', upstreamFormat: 'gemini' } as const)
      : ({ providerType: 'PROVIDER_B', upstreamFormat: 'anthropic' } as const);
  }
  return { providerType: 'PROVIDER_A', upstreamFormat: 'openai' } as const;
}

const withTexts = rows.filter(([, route]) => bodyWith(route, CANARY) !== undefined);
const send = (route: Route, text = `before ${CANARY} after`) =>
  h.send(pathFor(route), bodyWith(route, text) ?? {}, {}, route.method);

test('only routes without a text in their request have none to screen', () => {
  const without = rows.filter(([, route]) => bodyWith(route, CANARY) === undefined);
  const operations = new Set(without.map(([, { operation }]) => operation));
  expect([...operations].toSorted()).toEqual([
    'conversation_delete',
    'conversation_item_delete',
    'conversation_item_retrieve',
    'conversation_items',
    'conversation_retrieve',
    'detokenize',
    'image_variation',
    'response_cancel',
    'response_delete',
    'response_input_items',
    'response_retrieve',
  ]);
});

describe.each(withTexts)('%s', (_, route) => {
  test('a blocked text costs nothing, is not sent, and has a record', async () => {
    screens(h, [{ action: 'BLOCK', where: ['INPUT'] }], upstreamOf(route));
    const response = await send(route);
    expect(response.status).toBe(403);
    expect(await response.text()).toContain('content_blocked');
    expect(response.headers.get('x-should-retry')).toBe('false');
    expect(response.headers.get('x-tollgate-screening')).toMatch(
      /^house\/one;v=\d+;in=input;action=block;hits=\d$/,
    );
    expect(h.upstream.received).toHaveLength(0);
    expect(await h.settled()).toMatchObject({
      cancelled: false,
      costNanoUsd: '0',
      errorCode: 'content_blocked',
      httpStatus: 403,
      outcome: 'FAILED',
      screening: expect.stringContaining('house/one'),
    });
  });

  test('a masked text is not sent', async () => {
    screens(h, [{ action: 'MASK' }], upstreamOf(route));
    h.upstream.script = answerTo(route.operation);
    await (await send(route)).arrayBuffer();
    const [received] = h.upstream.received;
    expect(received?.raw.toString()).not.toContain('canary');
    expect(received?.raw.toString()).toContain('KEYWORD_1');
    expect(await h.settled()).toMatchObject({ cancelled: false });
  });

  test('an observed text is sent as it is', async () => {
    screens(h, [{ action: 'OBSERVE' }], upstreamOf(route));
    h.upstream.script = answerTo(route.operation);
    await (await send(route)).arrayBuffer();
    expect(h.upstream.received[0]?.raw.toString()).toContain('canary');
    expect(await h.settled()).toMatchObject({
      screening: expect.stringContaining('action=observe;hits='),
    });
  });
});

test.each(['/v1/completions', '/v1/embeddings', '/v1/vllm/detokenize'])(
  'token ids at %s are refused, because no rule can read them',
  async (path) => {
    screens(h, [{}]);
    const ids = [1, 2, 3];
    const response = await h.post(path, { model: MODEL, prompt: ids, input: ids, tokens: ids });
    expect(response.status).toBe(403);
    expect(await response.text()).toContain('cannot read');
    expect(h.upstream.received).toHaveLength(0);
  },
);

describe('what is new in a conversation', () => {
  const said = (role: string, content: string) => ({ role, content });
  const blockedIn = async (messages: object[], rule: object = {}): Promise<boolean> => {
    await h.reset();
    screens(h, [{ where: ['INPUT', 'TOOL_RESULTS'], ...rule }]);
    const { status } = await h.post('/v1/chat/completions', { model: MODEL, messages });
    return status === 403;
  };

  test('is the last turn of the user, also before an answer that the model continues', async () => {
    const [asked, answered] = [said('user', CANARY), said('assistant', 'Well')];
    expect(await blockedIn([asked])).toBe(true);
    expect(await blockedIn([asked, answered])).toBe(true);
    expect(await blockedIn([asked, answered, said('user', 'Hi')])).toBe(false);
  });

  test('are results of tools after the last answer', async () => {
    const call = { id: 'c1', type: 'function', function: { name: 'find', arguments: '{}' } };
    const called = { role: 'assistant', content: null, tool_calls: [call] };
    const result = { role: 'tool', tool_call_id: 'c1', content: CANARY };
    const turns = [said('user', 'Hi'), called, result];
    expect(await blockedIn(turns)).toBe(true);
    expect(await blockedIn(turns, { where: ['INPUT'] })).toBe(false);
    expect(await blockedIn([...turns, said('assistant', 'Found'), said('user', 'Ho')])).toBe(false);
  });

  test('is not the limit of a rule that names roles', async () => {
    const turns = [said('system', CANARY), said('user', 'Hi')];
    expect(await blockedIn(turns)).toBe(false);
    expect(await blockedIn(turns, { roles: ['system'] })).toBe(true);
    const old = [said('user', CANARY), said('assistant', 'Well'), said('user', 'Hi')];
    expect(await blockedIn(old, { roles: ['user'] })).toBe(true);
    expect(await blockedIn(old, { roles: ['assistant'] })).toBe(false);
  });
});

test('without its rules a request is refused, and holds nothing', async () => {
  screens(h, [{}]);
  h.catalog.away = true;
  const response = await send(ROUTES[0] as Route);
  h.catalog.away = false;
  expect(response.status).toBe(503);
  expect(h.upstream.received).toHaveLength(0);
  expect(await h.settled()).toMatchObject({ cancelled: true });
});

test('a policy without rules changes nothing', async () => {
  screens(h, []);
  const response = await h.post('/v1/chat/completions', {
    model: MODEL,
    messages: [{ role: 'user', content: CANARY }],
  });
  expect(response.status).toBe(200);
  expect(response.headers.get('x-tollgate-screening')).toBeNull();
});

test('a long text is screened in pieces, and found across their borders', async () => {
  const padding = 'lorem ipsum '.repeat(1_364);
  for (const cut of [0, 5, 10, 15]) {
    await h.reset();
    screens(h, [{ action: 'MASK' }]);
    const content = `${padding.slice(0, 16 * 1_024 - cut)}${CANARY}${padding}`;
    await h.post('/v1/chat/completions', { model: MODEL, messages: [{ role: 'user', content }] });
    const messages = h.upstream.received[0]?.body['messages'];
    const [message] = (messages ?? []) as { content: string }[];
    expect(message?.content).toBe(content.replace(CANARY, '<KEYWORD_1>'));
  }
});
