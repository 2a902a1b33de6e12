// Each route whose answer has a text is screened, whole or streamed, in whatever format the upstream speaks.

import type { Operation } from '@tollgate/contracts';

import { ROUTES, type Route } from '../routes';
import { bodyFor, form, pathFor, sound } from '../test-support/bodies';
import { answerJson, delta, DONE, openSse, role, stop, USAGE } from '../test-support/fake-upstream';
import { chat, KEY, MODEL, startHarness, type Harness } from '../test-support/harness';
import { CANARY, screens } from './test-support/rules';
import { STREAMS, type StreamCase } from './test-support/streams';

let h: Harness;
beforeAll(async () => {
  h = await startHarness();
});
beforeEach(() => h.reset());
afterAll(() => h.stop());

const TEXT = `before ${CANARY} after`;

const message = { role: 'assistant', content: TEXT };
const chatAnswer = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'gpt-upstream',
  choices: [
    { index: 0, message, finish_reason: 'stop', logprobs: { content: [{ token: 'can' }] } },
  ],
  usage: USAGE,
};
const item = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: TEXT, annotations: [] }],
};
const response = {
  id: 'resp_1',
  object: 'response',
  status: 'completed',
  output: [item],
  usage: { input_tokens: 7, output_tokens: 3, total_tokens: 10 },
};

/** An upstream's answer with a text; operations without one answer with numbers, media or ids. */
const ANSWERS: Partial<Record<Operation, object>> = {
  chat: chatAnswer,
  responses: response,
  completions: { choices: [{ index: 0, text: TEXT, finish_reason: 'stop' }], usage: USAGE },
  transcription: { text: TEXT, usage: { type: 'duration', seconds: 2 } },
  translation: { text: TEXT, usage: { type: 'duration', seconds: 2 } },
  image_generation: { created: 1, data: [{ b64_json: 'AAAA', revised_prompt: TEXT }] },
  detokenize: { prompt: TEXT },
  classify: { data: [{ index: 0, label: TEXT, probs: [1] }], usage: USAGE },
  rerank: { results: [{ index: 0, document: { text: TEXT }, relevance_score: 1 }], usage: USAGE },
  response_retrieve: response,
  response_input_items: { object: 'list', data: [item] },
  response_compact: { ...response, object: 'response.compaction' },
  conversation_items: { object: 'list', data: [item] },
  conversation_item_retrieve: item,
  conversation_retrieve: { id: 'conv_1', object: 'conversation', metadata: { topic: TEXT } },
};

const streams = ({ model }: Route): boolean => model.in === 'path' && model.stream;
const rows = ROUTES.filter((route) => ANSWERS[route.operation] && !streams(route)).map(
  (route) => [`${route.method} ${route.path}`, route] as const,
);

function answer(route: Route): Promise<Response> {
  const { family, operation } = route;
  const upstream =
    family === 'vllm'
      ? ({ providerType: 'PROVIDER_D', upstreamFormat: 'vllm' } as const)
      : ({ providerType: 'PROVIDER_A', upstreamFormat: 'openai' } as const);
  const { decide } = h.policy;
  h.policy.decide = (question) => {
    const reply = decide(question);
    Object.assign(reply.allow?.candidates?.[0] ?? {}, upstream);
    return reply;
  };
  h.upstream.script = (res) => answerJson(res, ANSWERS[operation] ?? {});
  const hears = operation === 'transcription' || operation === 'translation';
  const body = hears ? form({ model: MODEL, file: sound() }) : bodyFor(route);
  return h.send(pathFor(route), body, {}, route.method);
}

describe.each(rows)('%s', (_, route) => {
  test('a blocked answer is not sent, is charged, and has a record', async () => {
    screens(h, [{ action: 'BLOCK', where: ['OUTPUT'] }]);
    const reply = await answer(route);
    expect(reply.status).toBe(403);
    const text = await reply.text();
    expect(text).toContain('content_blocked');
    expect(text).not.toContain('canary');
    expect(await h.settled()).toMatchObject({
      cancelled: false,
      errorCode: 'content_blocked',
      outcome: 'FAILED',
      screening: expect.stringContaining('in=output;action=block'),
    });
  });

  test('a masked answer has a placeholder', async () => {
    screens(h, [{ action: 'MASK', where: ['OUTPUT'] }]);
    const reply = await answer(route);
    const text = await reply.text();
    expect(reply.status).toBe(200);
    expect(text).toContain('before <KEYWORD_1> after');
    expect(text).not.toContain('canary');
    expect(text).not.toContain('"token"');
  });

  test('an observed answer is sent as it is', async () => {
    screens(h, [{ action: 'OBSERVE', where: ['OUTPUT'] }]);
    const reply = await answer(route);
    expect(await reply.text()).toContain(CANARY);
    expect(reply.headers.get('x-tollgate-screening')).toContain('in=output;action=observe');
    expect(await h.settled()).toMatchObject({ screening: expect.stringContaining('hits=') });
  });
});

describe.each(STREAMS)('a stream: $name', (one) => {
  test.each(['text', 'arguments'] as const)(
    'a blocked canary in its %s is never sent',
    async (kind) => {
      for (const pieces of splits(CANARY)) {
        await h.reset();
        const received = await stream(one, kind, pieces, 'BLOCK');
        expect(received).not.toContain('canary');
        expect(received).not.toContain('-zq7x');
        expect(received).toContain('content_blocked');
        const settle = await h.settled();
        expect(settle).toMatchObject({ errorCode: 'content_blocked', cancelled: false });
        expect(settle.screening).toContain(kind === 'text' ? 'in=output' : 'in=tool_arguments');
      }
    },
  );

  test.each(['text', 'arguments'] as const)(
    'a masked canary in its %s is one placeholder',
    async (kind) => {
      for (const pieces of splits(CANARY)) {
        await h.reset();
        const received = await stream(one, kind, pieces, 'MASK');
        const said = one.read(received, kind);
        expect(said).toBe(kind === 'text' ? 'before <KEYWORD_1> after' : '{"q":"<KEYWORD_1>"}');
        expect(received).not.toContain('canary');
        expect(await h.settled()).toMatchObject({ outcome: 'COMPLETED' });
      }
    },
  );

  test('an observed canary changes no byte', async () => {
    const observed = await stream(one, 'text', [CANARY], 'OBSERVE');
    const settle = await h.settled();
    expect(settle.screening).toContain('in=output;action=observe;hits=1');
    await h.reset();
    const plain = await stream(one, 'text', [CANARY], undefined);
    expect(stable(observed)).toBe(stable(plain));
  });
});

/** Ids and instants of the gateway differ from request to request. */
const stable = (text: string): string =>
  text.replaceAll(/"(?:id|responseId|created|created_at|createTime|item_id)":(?:"[^"]*"|\d+)/g, '');

/** The text in two pieces, at each place, and character by character. */
function splits(text: string): string[][] {
  const twos = Array.from({ length: text.length + 1 }, (_, at) => [
    text.slice(0, at),
    text.slice(at),
  ]);
  return [...twos, text.split('')];
}

async function stream(
  { path, request, script, upstream }: StreamCase,
  kind: 'text' | 'arguments',
  pieces: readonly string[],
  action: string | undefined,
): Promise<string> {
  const where = ['OUTPUT', 'TOOL_ARGUMENTS'];
  screens(h, action === undefined ? [] : [{ action, where }], upstream);
  h.upstream.script = (res) => script(res, kind, pieces);
  const reply = await fetch(h.edge.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify(request),
  });
  return reply.text();
}

test('texts that were masked in the request come back in the answer', async () => {
  screens(h, [{ action: 'MASK', where: ['INPUT'] }]);
  h.upstream.script = (res, { body }) => {
    const { content } = (body['messages'] as { content: string }[])[0] ?? { content: '' };
    answerJson(res, {
      ...chatAnswer,
      choices: [{ index: 0, message: { role: 'assistant', content } }],
    });
  };
  const reply = await h.post(
    '/v1/chat/completions',
    chat({ messages: [{ role: 'user', content: TEXT }] }),
  );
  expect(await reply.json()).toMatchObject({ choices: [{ message: { content: TEXT } }] });
  expect(h.upstream.received[0]?.raw.toString()).not.toContain('canary');
});

test('numbers of an event whose text is masked keep their digits', async () => {
  screens(h, [{ action: 'MASK', where: ['OUTPUT'] }]);
  h.upstream.script = (res) => {
    openSse(res);
    res.write(delta(TEXT).replace('1700000000', '12345678901234567890'));
    res.write(stop());
    res.end(DONE);
  };
  const reply = await h.post('/v1/chat/completions', chat({ stream: true }));
  const received = await reply.text();
  expect(received).toContain('<KEYWORD_1>');
  expect(received).toContain('"created":12345678901234567890');
});

describe('a pattern, which withholds its window', () => {
  const tickets = {
    kind: 'REGEX',
    patterns: [{ name: 'TICKET', pattern: 'T-[0-9]+' }],
  };

  test('lets go what nothing follows, and counts the first token when it is sent', async () => {
    const { path, request } = STREAMS[0] as StreamCase;
    screens(h, [{ ...tickets, action: 'MASK', where: ['OUTPUT'] }]);
    let end = (): void => undefined;
    h.upstream.script = (res) => {
      openSse(res);
      res.write(role());
      res.write(delta('see T-12 for more'));
      end = () => {
        res.write(stop());
        res.end(DONE);
      };
    };
    const reply = await h.post(path, request);
    const reader = (reply.body as ReadableStream<Uint8Array>).getReader();
    let received = '';
    while (!received.includes('TICKET')) {
      received += Buffer.from((await reader.read()).value ?? []).toString();
    }
    expect(received).toContain('see <TICKET_1> for more');
    end();
    for (let read = await reader.read(); !read.done;) read = await reader.read();
    const { firstTokenMs } = await h.settled();
    expect(firstTokenMs).toBeGreaterThanOrEqual(70);
  });
});

describe('arguments whose names are those of ids elsewhere', () => {
  const NAMES = ['name', 'id', 'data', 'model', 'status', 'type'];
  const asked = { type: 'tool_use', id: 'toolu_1', name: 'find' };

  test.each(NAMES)('%s is read in an answer', async (name) => {
    const upstream = { providerType: 'PROVIDER_B', upstreamFormat: 'anthropic' } as const;
    screens(h, [{ action: 'BLOCK', where: ['TOOL_ARGUMENTS'] }], upstream);
    h.upstream.script = (res) =>
      answerJson(res, {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: [{ ...asked, input: { deep: [{ [name]: CANARY }] } }],
        stop_reason: 'tool_use',
        usage: { input_tokens: 1, output_tokens: 1 },
      });
    const messages = [{ role: 'user', content: 'Hi' }];
    const reply = await h.post('/v1/messages', { model: MODEL, max_tokens: 9, messages });
    expect([name, reply.status]).toEqual([name, 403]);
  });

  test.each(NAMES)('%s is read in the result of a function', async (name) => {
    screens(h, [{ action: 'BLOCK', where: ['TOOL_RESULTS'] }]);
    const response = { name: 'find', response: { [name]: CANARY } };
    const contents = [
      { role: 'user', parts: [{ text: 'Hi' }] },
      { role: 'model', parts: [{ functionCall: { name: 'find', args: {} } }] },
      { role: 'user', parts: [{ functionResponse: response }] },
    ];
    const reply = await h.post(`/v1beta/models/${MODEL}:generateContent`, { contents });
    expect([name, reply.status]).toEqual([name, 403]);
  });
});

test('digits of long numbers stay in a masked answer', async () => {
  screens(h, [{ action: 'MASK', where: ['OUTPUT'] }], {
    providerType: 'PROVIDER_D',
    upstreamFormat: 'vllm',
  });
  h.upstream.script = (res) => {
    res.writeHead(200, { 'content-type': 'application/json' });
    res.end(`{"data":[{"label":"${CANARY}","seed":12345678901234567890}],"usage":{}}`);
  };
  const reply = await h.post('/v1/vllm/classify', { model: MODEL, input: 'Hi' });
  expect(await reply.text()).toContain('"seed":12345678901234567890');
});
