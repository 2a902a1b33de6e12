// Prompts and answers in traces: of organisations that want them there, as screening lets them pass.

import type { ReceivedSpan } from '@tollgate/simulator';

import { askRules, findsWord } from '../screening/test-support/asking';
import { serviceAt, startFakeService } from '../screening/test-support/fake-service';
import { screens } from '../screening/test-support/rules';
import { STREAMS } from '../screening/test-support/streams';
import { completion, delta, DONE, openSse, role, streamed } from '../test-support/fake-upstream';
import {
  allow,
  candidate,
  chat,
  routed,
  startHarness,
  until,
  type Harness,
} from '../test-support/harness';
import { CLIENT, named, printed, useReceiver } from '../test-support/traces';

const CHAT = '/v1/chat/completions';
const INPUT = 'gen_ai.input.messages';
const OUTPUT = 'gen_ai.output.messages';
const LEFT_OUT = 'tollgate.content.left_out';

const { traced } = useReceiver(startHarness);

/** The organisation wants texts, whatever else policy says. */
function optIn(h: Harness): void {
  const { decide } = h.policy;
  h.policy.decide = (question) => {
    const reply = decide(question);
    return { ...reply, allow: { ...reply.allow, traceContent: true } };
  };
}

const ask = (content: string, over: object = {}) =>
  chat({ messages: [{ role: 'user', content }], ...over });

async function say(h: Harness, content: string, over: object = {}): Promise<string> {
  return (await h.post(CHAT, ask(content, over))).text();
}

const callOf = (spans: readonly ReceivedSpan[]) => named(spans, 'chat gpt-upstream').attributes;
const json = (value: unknown): unknown => JSON.parse(String(value));
const user = (content: string) => ({ role: 'user', parts: [{ type: 'text', content }] });
const assistant = (content: string, finish = 'stop') => ({
  role: 'assistant',
  parts: [{ type: 'text', content }],
  finish_reason: finish,
});

test('a whole answer and its prompt are on the span of the call, and nowhere else', async () => {
  const spans = await traced({}, async (h) => {
    optIn(h);
    h.upstream.script = (res) => completion(res, { text: 'the answer' });
    await say(h, 'the question');
  });
  const call = callOf(spans);
  expect(json(call[INPUT])).toEqual([user('the question')]);
  expect(json(call[OUTPUT])).toEqual([assistant('the answer')]);
  expect(call['tollgate.content.cut']).toBeUndefined();
  const others = spans.filter(({ kind }) => kind !== CLIENT);
  expect(printed(others)).not.toMatch(/the question|the answer/);
});

// Completions are no conversations, and have no texts in traces.
const conversations = STREAMS.filter(({ path }) => !path.includes('/completions') || path === CHAT);

test.each(conversations.map((one) => [one.name, one] as const))(
  'a streamed answer is put together: %s',
  async (_name, { path, request, script, upstream }) => {
    const spans = await traced({}, async (h) => {
      h.policy.decide = () => allow([candidate(upstream)]);
      optIn(h);
      h.upstream.script = (res) => script(res, 'bare text', ['Hel', 'lo', ' there']);
      await (await h.post(path, request)).text();
    });
    const [call] = spans.filter(({ kind }) => kind === CLIENT);
    expect(json(call?.attributes[INPUT])).toEqual([user('Hi')]);
    expect(json(call?.attributes[OUTPUT])).toEqual([assistant('Hello there')]);
  },
);

test('calls of tools and their results are parts of messages', async () => {
  const called = { id: 'c1', type: 'function', function: { name: 'sum', arguments: '{"a":1}' } };
  const messages = [
    { role: 'user', content: 'add' },
    { role: 'assistant', content: null, tool_calls: [called] },
    { role: 'tool', tool_call_id: 'c1', content: '2' },
  ];
  const spans = await traced({}, async (h) => {
    optIn(h);
    await (await h.post(CHAT, chat({ messages }))).text();
  });
  expect(json(callOf(spans)[INPUT])).toEqual([
    user('add'),
    {
      role: 'assistant',
      parts: [{ type: 'tool_call', id: 'c1', name: 'sum', arguments: '{"a":1}' }],
    },
    {
      role: 'tool',
      parts: [{ type: 'tool_call_response', id: 'c1', response: [{ type: 'text', content: '2' }] }],
    },
  ]);
});

test('long texts are cut with a mark, the newest messages first', async () => {
  const messages = [
    { role: 'user', content: 'first' },
    { role: 'user', content: 'x'.repeat(1_000) },
  ];
  const spans = await traced({ TRACE_CONTENT_CHARACTERS: 256 }, async (h) => {
    optIn(h);
    h.upstream.script = (res) =>
      streamed(
        res,
        Array.from({ length: 500 }, () => 'abcd'),
      );
    await (await h.post(CHAT, chat({ messages, stream: true }))).text();
  });
  const call = callOf(spans);
  expect(call['tollgate.content.cut']).toBe(true);
  expect(String(call[INPUT])).toMatch(/x… \[cut\]/);
  expect(String(call[INPUT])).not.toContain('first');
  expect(String(call[OUTPUT])).toMatch(/(?:abcd)+.*… \[cut\]/);
  for (const text of [call[INPUT], call[OUTPUT]]) expect(String(text).length).toBeLessThan(400);
});

test('of several attempts one has the texts', async () => {
  const spans = await traced({}, async (h) => {
    h.policy.decide = () => routed([candidate(), candidate({ modelId: 'model-2' })]);
    optIn(h);
    let calls = 0;
    h.upstream.script = (res) => {
      calls += 1;
      if (calls > 1) return completion(res, {});
      res.writeHead(500).end('{}');
      return undefined;
    };
    await say(h, 'Hi');
  });
  const attempts = spans.filter(({ kind }) => kind === CLIENT);
  expect(attempts.map(({ attributes }) => attributes[INPUT] !== undefined)).toEqual([false, true]);
});

describe('what a rule masks', () => {
  const MAIL = { kind: 'PERSONAL_DATA', action: 'MASK' };

  test.each([false, true])(
    'is in no span, though the client gets it back (stream %s)',
    async (stream) => {
      let got = '';
      const spans = await traced({}, async (h) => {
        screens(h, [MAIL]);
        optIn(h);
        h.upstream.script = (res) =>
          stream
            ? streamed(res, ['I wrote to <EMA', 'IL_1>', ' and bob@example.com'])
            : completion(res, { text: 'I wrote to <EMAIL_1> and bob@example.com' });
        got = await say(h, 'Write to ann@example.com', { stream });
      });
      expect(got).toContain('ann@example.com');
      const call = callOf(spans);
      expect(json(call[INPUT])).toEqual([user('Write to <EMAIL_1>')]);
      expect(json(call[OUTPUT])).toEqual([assistant('I wrote to <EMAIL_1> and <EMAIL_2>')]);
      expect(printed(spans)).not.toContain('@example.com');
    },
  );

  test('is in no arguments of a tool, where it is escaped', async () => {
    const rule = { kind: 'KEYWORDS', keywords: ['a "b" c'], wholeWords: false, action: 'MASK' };
    const spans = await traced({}, async (h) => {
      screens(h, [{ ...rule, restore: true }]);
      optIn(h);
      h.upstream.script = (res) => {
        const said = { name: 'sum', arguments: '{"to":"<KEYWORD_1>"}' };
        const calls = [{ id: 'c1', type: 'function', function: said }];
        const message = { role: 'assistant', content: null, tool_calls: calls };
        completion(res, {
          extra: { choices: [{ index: 0, message, finish_reason: 'tool_calls' }] },
        });
      };
      await say(h, 'Use a "b" c');
    });
    expect(printed(spans)).toContain('<KEYWORD_1>');
    expect(printed(spans)).not.toMatch(/\bb\\+" c/);
  });

  test('is not found by a service alone', async () => {
    const service = await startFakeService();
    const spans = await traced({}, async (h) => {
      askRules(h, [{ action: 'MASK', where: ['INPUT'] }], serviceAt(service.url));
      service.answer = findsWord('Ann');
      optIn(h);
      h.upstream.script = (res) => completion(res, { text: 'Hi <NAME_1>' });
      await say(h, 'I am Ann');
    });
    await service.stop();
    expect(json(callOf(spans)[INPUT])).toEqual([user('I am <NAME_1>')]);
    expect(json(callOf(spans)[OUTPUT])).toEqual([assistant('Hi <NAME_1>')]);
  });
});

test.each([false, true])(
  'of an answer that a rule blocks nothing is told (stream %s)',
  async (stream) => {
    const spans = await traced({}, async (h) => {
      screens(h, [
        { action: 'BLOCK', where: ['OUTPUT'], keywords: ['forbidden'], kind: 'KEYWORDS' },
      ]);
      optIn(h);
      const texts = ['a long beginning. ', 'forbidden', ' end'];
      h.upstream.script = (res) =>
        stream ? streamed(res, texts) : completion(res, { text: texts.join('') });
      await say(h, 'Hi', { stream });
    });
    const call = callOf(spans);
    expect(call).toMatchObject({ [LEFT_OUT]: 'blocked' });
    expect([call[INPUT], call[OUTPUT]]).toEqual([undefined, undefined]);
    expect(printed(spans)).not.toContain('forbidden');
  },
);

test('of a client that left the texts are those that it got', async () => {
  const spans = await traced({}, async (h) => {
    optIn(h);
    const leaving = new AbortController();
    h.upstream.script = (res) => {
      openSse(res);
      res.write(role() + delta('Hel'));
    };
    const response = await fetch(h.edge.url + CHAT, {
      method: 'POST',
      headers: { authorization: 'Bearer tg_test-key-0123456789' },
      body: JSON.stringify(ask('Hi', { stream: true })),
      signal: leaving.signal,
    });
    const reader = response.body?.getReader();
    let got = '';
    while (!got.includes('Hel')) got += Buffer.from((await reader?.read())?.value ?? []).toString();
    leaving.abort();
    await until(() => h.policy.settled.length > 0, 'a settle');
  });
  expect(json(callOf(spans)[OUTPUT])).toEqual([assistant('Hel', 'other')]);
});

test('an answer that cannot be read again is left out, and reaches its client', async () => {
  const broken = `data: {"id":"c","choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":7}]}\n\n`;
  let got = '';
  const spans = await traced({}, async (h) => {
    optIn(h);
    h.upstream.script = (res) => {
      openSse(res);
      res.end(role() + broken + DONE);
    };
    got = await say(h, 'Hi', { stream: true });
  });
  expect(got).toContain('Hi');
  expect(spans.filter(({ kind }) => kind === CLIENT)).toHaveLength(1);
});

test('without the switch no span has a text', async () => {
  const spans = await traced({}, async (h) => {
    h.policy.decide = () => allow();
    await say(h, 'the secret question', { stream: false });
  });
  expect(printed(spans)).not.toMatch(/secret|Hello there/);
});
