// A JSON schema is judged on each route whose answer is a text that a model writes, whole or streamed, in whatever
// format the upstream speaks.

import { ROUTES, type Route } from '../routes';
import { answerTo, bodyFor, pathFor } from '../test-support/bodies';
import { answerJson, openSse, USAGE } from '../test-support/fake-upstream';
import { chat, errorOf, KEY, MODEL, startHarness, type Harness } from '../test-support/harness';
import { WHOLE_ANSWERS } from './answer-texts';
import { CANARY, screens } from './test-support/rules';
import { STREAMS, type StreamCase } from './test-support/streams';

let h: Harness;
beforeAll(async () => {
  h = await startHarness();
});
beforeEach(() => h.reset());
afterAll(() => h.stop());

const SHAPE = {
  kind: 'JSON_SCHEMA',
  where: ['OUTPUT'],
  schema: {
    type: 'object',
    required: ['price'],
    properties: { price: { type: 'number' } },
    additionalProperties: false,
  },
};
const GOOD = '{"price":1.5}';
const BAD = `{"price":"${CANARY}"}`;

const USAGE_OF_RESPONSE = { input_tokens: 7, output_tokens: 3, total_tokens: 10 };

function answerWith(operation: string, text: string, finish = 'stop'): object {
  if (operation === 'completions') {
    return { choices: [{ index: 0, text, finish_reason: finish }], usage: USAGE };
  }
  if (operation.startsWith('response')) {
    const content = [{ type: 'output_text', text, annotations: [] }];
    const item = { id: 'msg_1', type: 'message', role: 'assistant', status: 'completed', content };
    const cut = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };
    return {
      id: 'resp_1',
      object: 'response',
      ...(finish === 'length' ? cut : { status: 'completed' }),
      output: [item],
      usage: USAGE_OF_RESPONSE,
    };
  }
  const message = { role: 'assistant', content: text };
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'gpt-upstream',
    choices: [{ index: 0, message, finish_reason: finish }],
    usage: USAGE,
  };
}

const streamed = ({ model }: Route): boolean => model.in === 'path' && model.stream;
const rows = ROUTES.filter((route) => !streamed(route)).map(
  (route) => [`${route.method} ${route.path}`, route] as const,
);
const judged = rows.filter(([, { operation }]) => WHOLE_ANSWERS.has(operation));
const others = rows.filter(([, { operation }]) => !WHOLE_ANSWERS.has(operation));

function ask(route: Route, answer: object | undefined, rule: object = {}): Promise<Response> {
  const { family, operation } = route;
  const vllm = { providerType: 'PROVIDER_D', upstreamFormat: 'vllm' } as const;
  screens(h, [{ ...SHAPE, ...rule }], family === 'vllm' ? vllm : {});
  h.upstream.script = answer ? (res) => answerJson(res, answer) : answerTo(operation);
  return h.send(pathFor(route), bodyFor(route), {}, route.method);
}

test('conversations and completions are judged, also when they are fetched later', () => {
  expect([...WHOLE_ANSWERS].toSorted()).toEqual([
    'chat',
    'completions',
    'response_retrieve',
    'responses',
  ]);
});

describe.each(judged)('%s', (_, route) => {
  const { operation } = route;

  test('an answer that matches passes', async () => {
    const reply = await ask(route, answerWith(operation, GOOD));
    expect(reply.status).toBe(200);
    expect(reply.headers.get('x-tollgate-screening')).toBeNull();
    expect(await reply.text()).toContain('price');
  });

  test.each([
    ['does not match', BAD, 'stop', '/price does not match the schema'],
    ['is no JSON', `Sure! ${GOOD}`, 'stop', 'it is not JSON'],
    ['was cut off', GOOD, 'length', 'it was cut off at its output limit'],
  ])('one that %s is refused, without its text', async (__, text, finish, words) => {
    const reply = await ask(route, answerWith(operation, text, finish));
    expect(reply.status).toBe(403);
    const received = await reply.text();
    expect(received).toContain('content_blocked');
    expect(received).toContain(`house/one blocked the answer of the model: ${words}.`);
    expect(received).not.toContain('canary');
    const settle = await h.settled();
    expect(settle).toMatchObject({ errorCode: 'content_blocked', cancelled: false });
    expect(settle.screening).toContain('in=output;action=block;hits=1');
  });

  test('an observed one is sent as it is', async () => {
    const reply = await ask(route, answerWith(operation, BAD), { action: 'OBSERVE' });
    expect(reply.status).toBe(200);
    expect(await reply.text()).toContain('canary');
    expect(reply.headers.get('x-tollgate-screening')).toContain('in=output;action=observe;hits=1');
  });
});

test.each(others)('%s has no such answer, and passes', async (_, route) => {
  const reply = await ask(route, undefined);
  await reply.arrayBuffer();
  expect(reply.status).not.toBe(403);
});

describe.each(STREAMS)('a stream: $name', (one) => {
  test('one that matches is sent whole, after its end', async () => {
    const received = await stream(one, ['{"pri', 'ce":', '1.5}'], 'BLOCK');
    expect(one.read(received, 'text')).toBe(GOOD);
    expect(await h.settled()).toMatchObject({ outcome: 'COMPLETED', screening: '' });
  });

  test('nothing is sent of one that does not match', async () => {
    const received = await stream(one, ['{"price":"', CANARY, '"}'], 'BLOCK');
    expect(received).not.toContain('canary');
    expect(received).not.toContain('"price');
    expect(received).toContain('content_blocked');
    const settle = await h.settled();
    expect(settle).toMatchObject({ errorCode: 'content_blocked', cancelled: false });
    expect(settle.screening).toContain('in=output;action=block;hits=1');
  });

  test('one that is observed changes no byte', async () => {
    const observed = await stream(one, [BAD], 'OBSERVE');
    expect(one.read(observed, 'text')).toBe(BAD);
    expect((await h.settled()).screening).toContain('in=output;action=observe;hits=1');
  });

  test('one that calls a tool is not judged', async () => {
    const received = await stream(one, [CANARY], 'BLOCK', 'arguments');
    expect(one.read(received, 'arguments')).toBe(`{"q":"${CANARY}"}`);
    expect(await h.settled()).toMatchObject({ outcome: 'COMPLETED', screening: '' });
  });
});

async function stream(
  { path, request, script, upstream }: StreamCase,
  pieces: readonly string[],
  action: string,
  kind: 'bare text' | 'arguments' = 'bare text',
): Promise<string> {
  screens(h, [{ ...SHAPE, action }], upstream);
  h.upstream.script = (res) => script(res, kind, pieces);
  const reply = await fetch(h.edge.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify(request),
  });
  return reply.text();
}

const event = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;

describe('streams of completions', () => {
  const send = async (finish: string): Promise<string> => {
    screens(h, [SHAPE]);
    h.upstream.script = (res) => {
      openSse(res);
      for (const [at, text] of ['{"price":', '2}'].entries()) {
        res.write(
          event({ choices: [{ index: 0, text, finish_reason: at === 1 ? finish : null }] }),
        );
      }
      res.end('data: [DONE]\n\n');
    };
    const body = { model: MODEL, prompt: 'Hi', stream: true };
    return (await h.post('/v1/completions', body)).text();
  };

  test('are judged by their end', async () => {
    expect(await send('stop')).toContain('2}');
    await h.reset();
    const received = await send('length');
    expect(received).toContain('content_blocked');
    expect(received).not.toContain('2}');
  });
});

test('each choice is judged, and the error names the place and not the text', async () => {
  screens(h, [SHAPE]);
  h.upstream.script = (res) => {
    const choice = (index: number, content: string) => ({
      index,
      message: { role: 'assistant', content },
      finish_reason: 'stop',
    });
    answerJson(res, {
      ...answerWith('chat', ''),
      choices: [choice(0, GOOD), choice(1, `{"price":1,"${CANARY}":1}`)],
    });
  };
  const error = await errorOf(await h.post('/v1/chat/completions', chat({ n: 2 })));
  expect(error.message).toContain('/* does not match the schema');
  expect(error.details).toMatchObject({ rule: 'house/one', place: 'output', path: '/*' });
});

test('texts that were masked are judged as the client gets them', async () => {
  const masks = { id: 'masks', action: 'MASK', where: ['INPUT'] };
  const schema = { properties: { said: { const: `before ${CANARY} after` } } };
  screens(h, [masks, { ...SHAPE, schema }]);
  h.upstream.script = (res, { body }) => {
    const [{ content } = { content: '' }] = body['messages'] as { content: string }[];
    answerJson(res, answerWith('chat', JSON.stringify({ said: content })));
  };
  const messages = [{ role: 'user', content: `before ${CANARY} after` }];
  const reply = await h.post('/v1/chat/completions', chat({ messages }));
  expect(reply.status).toBe(200);
});

test('an answer in the background is judged when it is there', async () => {
  const pending = { id: 'resp_1', object: 'response', status: 'in_progress', output: [] };
  const route = ROUTES.find(({ operation }) => operation === 'response_retrieve');
  const reply = await ask(route as Route, pending);
  expect(reply.status).toBe(200);
});

describe('an answer that is too long to be withheld', () => {
  const long = async (onError: string): Promise<string> => {
    screens(h, [{ ...SHAPE, onError }]);
    h.upstream.script = (res) => {
      openSse(res);
      const content = 'a'.repeat(1024 * 1024);
      for (let at = 0; at < 5; at += 1)
        res.write(event({ choices: [{ index: 0, delta: { content } }] }));
      res.write(event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }));
      res.end('data: [DONE]\n\n');
    };
    return (await h.post('/v1/chat/completions', chat({ stream: true }))).text();
  };

  test('is refused, or passes, as the rule says', async () => {
    const refused = await long('BLOCK');
    expect(refused).toContain('cannot read the answer of the model');
    expect(refused.length).toBeLessThan(2_000);
    await h.reset();
    const passed = await long('PASS');
    expect(passed.length).toBeGreaterThan(5 * 1024 * 1024);
    expect((await h.settled()).screening).toContain('failed=1');
  });
});
