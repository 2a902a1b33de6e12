// Streamed answers that a service judges piece by piece over gRPC.

import type { ServerResponse } from 'node:http';
import type { CheckStreamReply } from '@tollgate/contracts/node';

import {
  delta,
  DONE,
  openSse,
  role,
  stop,
  streamed,
  usageChunk,
} from '../test-support/fake-upstream';
import { until, type Harness } from '../test-support/harness';
import { askRules, say as sayTo, useService } from './test-support/asking';
import {
  json,
  serviceAt,
  startFakeGrpcService,
  type FakeService,
  type Judge,
} from './test-support/fake-service';
import { STREAMS, type StreamCase } from './test-support/streams';

let h: Harness;
let service: FakeService;
let fake: Awaited<ReturnType<typeof startFakeGrpcService>>;
useService((parts) => {
  ({ h, service } = parts);
});
beforeEach(async () => {
  fake = await startFakeGrpcService(() => ({ verdict: 'PASS' }));
});
afterEach(() => fake.stop());

const RULE = { where: ['OUTPUT', 'TOOL_ARGUMENTS'], onError: 'BLOCK' };
function asks(
  rule: object,
  more: readonly Record<string, unknown>[] = [],
  over: object = {},
): void {
  const streaming = serviceAt(fake.url, { type: 'TOLLGATE_GRPC', streams: true });
  askRules(h, [{ ...RULE, ...rule }, ...more], streaming, {}, over);
}
const say = (content: string, over?: object) => sayTo(h, content, { stream: true, ...over });

/** Finds a word, and releases all but the last one, which may go on. */
const finds =
  (word: string, over: (found: boolean) => CheckStreamReply = () => ({})): Judge =>
  ({ last }, said) => {
    const done = last ? said.length : said.search(/\S*$/);
    const at = said.slice(0, done).indexOf(word);
    const released = releasedOf.get(said) ?? done;
    const findings = at >= 0 ? [{ start: at, end: at + word.length, label: 'NAME' }] : [];
    return { released, findings: once(said, findings, at), ...over(at >= 0) };
  };
const releasedOf = new Map<string, number>();
let found = new Set<string>();
beforeEach(() => {
  found = new Set();
});

/** A finding is told once: what is released has none. */
function once<T>(said: string, findings: T[], at: number): T[] {
  const key = `${said.slice(0, at)}|${at}`;
  if (findings.length === 0 || found.has(key)) return [];
  found.add(key);
  return findings;
}

function splits(text: string): string[][] {
  const half = Math.floor(text.length / 2);
  return [[text], [text.slice(0, half), text.slice(half)], text.split('')];
}

async function answerOf(one: StreamCase, kind: 'text' | 'arguments', pieces: readonly string[]) {
  h.upstream.script = (res) => one.script(res, kind, pieces);
  const reply = await h.post(one.path, one.request);
  expect(reply.status).toBe(200);
  return reply.text();
}

describe.each(STREAMS.map((one) => [one.name, one] as const))('%s', (_, one) => {
  test.each(['text', 'arguments'] as const)('its %s is masked across its events', async (kind) => {
    for (const pieces of splits(kind === 'text' ? 'our Bobby now' : ' Bobby ')) {
      await h.reset();
      found.clear();
      fake.judge = finds('Bobby');
      asks({ action: 'MASK' }, [], one.upstream);
      const received = await answerOf(one, kind, pieces);
      const masked = kind === 'text' ? 'before our <NAME_1> now after' : '{"q":" <NAME_1> "}';
      expect(one.read(received, kind)).toBe(masked);
      expect(received).not.toContain('Bobby');
      const place = kind === 'text' ? 'in=output' : 'in=tool_arguments';
      const settled = await h.settled();
      expect(settled.outcome).toBe('COMPLETED');
      expect(settled.screening).toMatch(new RegExp(`house/one;.*${place};action=mask;hits=1;ms=`));
      expect(fake.asked).toEqual([]);
    }
  });

  test('a refusal ends it in its own way', async () => {
    fake.judge = (_piece, said) =>
      said.includes('wicked')
        ? { verdict: 'BLOCK', released: 0, message: 'No.' }
        : { released: said.length };
    asks({ action: 'BLOCK' }, [], one.upstream);
    const received = await answerOf(one, 'text', ['and ', 'wicked things']);
    expect(received).not.toContain('wicked');
    expect(received).toContain('content_blocked');
    expect(await h.settled()).toMatchObject({ outcome: 'PARTIAL', errorCode: 'content_blocked' });
  });
});

/** An upstream whose parts a test sends. */
function openUpstream() {
  const upstream: { res?: ServerResponse } = {};
  h.upstream.script = (res) => {
    upstream.res = res;
    openSse(res);
    res.write(role());
  };
  return {
    write: async (...texts: string[]) => {
      await until(() => upstream.res !== undefined, 'the upstream call');
      for (const text of texts) upstream.res?.write(delta(text));
    },
    end: () => upstream.res?.end(stop() + usageChunk() + DONE),
  };
}

async function readUntil(reader: ReadableStreamDefaultReader<Uint8Array>, text: string) {
  let received = '';
  while (!received.includes(text)) {
    const { done, value } = await reader.read();
    if (done) throw new Error(`the stream ended without ${text}: ${received}`);
    received += Buffer.from(value).toString();
  }
  return received;
}

test('what is released goes to the client while the answer goes on', async () => {
  fake.judge = finds('Bobby');
  asks({ action: 'MASK' });
  const upstream = openUpstream();
  const replying = say('hi');
  await upstream.write('Hello ', 'Bob', 'by and');
  const reader = (await replying).body?.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  const first = await readUntil(reader, '<NAME_1>');
  expect(first).toContain('Hello ');
  expect(first).not.toContain('and');
  await upstream.write(' others');
  upstream.end();
  expect(await readUntil(reader, '[DONE]')).toContain('others');
  expect(fake.streams.starts).toEqual([
    {
      requestId: expect.any(String),
      rule: { policy: 'house', id: 'one', version: expect.any(Number) },
      token: expect.stringContaining('Bearer'),
    },
  ]);
  const { firstTokenMs } = await h.settled();
  expect(firstTokenMs).toBeGreaterThan(0);
  await until(() => fake.streams.open === 0, 'the call to end');
});

test('what was released before a refusal has gone, and the upstream is aborted', async () => {
  fake.judge = (_, said) =>
    said.includes('bad') ? { verdict: 'BLOCK', released: 11 } : { released: said.length };
  asks({ action: 'BLOCK' });
  const upstream = openUpstream();
  const replying = say('hi');
  await upstream.write('something ');
  const reader = (await replying).body?.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  await readUntil(reader, 'something');
  await upstream.write('x', ' bad');
  const rest = await readUntil(reader, 'content_blocked');
  expect(rest).not.toContain('bad"');
  const settled = await h.settled();
  expect(settled).toMatchObject({ outcome: 'PARTIAL', errorCode: 'content_blocked' });
  expect(Number(settled.costNanoUsd)).toBeGreaterThan(0);
  await until(() => h.upstream.received[0]?.aborted === true, 'the upstream to be aborted');
});

test('a finding blocks where the rule blocks, and its text is never sent', async () => {
  fake.judge = finds('Bobby');
  asks({ action: 'BLOCK' });
  h.upstream.script = (res) => streamed(res, ['Hello ', 'Bobby ', 'and more']);
  const text = await (await say('hi')).text();
  expect(text).not.toContain('Bobby');
  expect(text).toContain('content_blocked');
});

test.each(['BLOCK', 'PASS'])('a piece without an answer in time: %s', async (onError) => {
  fake.judge = (_, said) => (said.includes('more') ? undefined : { released: said.length });
  asks({ action: 'BLOCK', onError, timeoutMs: 100 });
  h.upstream.script = (res) => streamed(res, ['Hello ', 'more']);
  const text = await (await say('hi')).text();
  const passes = onError === 'PASS';
  expect(text.includes('dependency_unavailable')).toBe(!passes);
  expect(text.includes('more')).toBe(passes);
  expect(await h.settled()).toMatchObject({
    outcome: passes ? 'COMPLETED' : 'PARTIAL',
    screening: expect.stringMatching(/in=output;action=block;failed=1;ms=/),
  });
  await until(() => fake.streams.open === 0, 'the call to be cancelled');
});

test('a service that is away is no verdict', async () => {
  asks({ action: 'BLOCK' });
  fake.stop();
  h.upstream.script = (res) => streamed(res, ['Hello']);
  const text = await (await say('hi')).text();
  expect(text).toContain('dependency_unavailable');
  expect(text).not.toContain('Hello');
});

test('the call is cancelled when the client leaves', async () => {
  asks({ action: 'BLOCK' });
  const upstream = openUpstream();
  const controller = new AbortController();
  const replying = fetch(`${h.edge.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer tg_test-key-0123456789', 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'house-model',
      stream: true,
      messages: [{ role: 'user', content: 'a' }],
    }),
    signal: controller.signal,
  });
  await upstream.write('Hello ');
  const reader = (await replying).body?.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  await readUntil(reader, 'Hello');
  expect(fake.streams.open).toBe(1);
  controller.abort();
  await until(() => fake.streams.open === 0, 'the call to be cancelled');
  expect(await h.settled()).toMatchObject({ outcome: 'CLIENT_CLOSED' });
});

test('the service reads placeholders, and the client the texts that they stand for', async () => {
  const heard: string[] = [];
  fake.judge = ({ last }, said) => {
    heard.push(said);
    return { released: last ? said.length : said.search(/\S*$/) };
  };
  asks({ action: 'BLOCK' }, [
    { id: 'mail', kind: 'PERSONAL_DATA', action: 'MASK', where: ['INPUT'], onError: 'BLOCK' },
  ]);
  h.upstream.script = (res) => streamed(res, ['to <EMA', 'IL_1> and', ' more']);
  const text = await (await say('I am ann@example.com')).text();
  const said = STREAMS[0]?.read(text, 'text');
  expect(said).toBe('to ann@example.com and more');
  expect(heard.at(-1)).toBe('to <EMAIL_1> and more');
});

test('rules that observe are asked about the whole answer at its end, and hold up nothing', async () => {
  asks({ action: 'OBSERVE' });
  h.upstream.script = (res) => streamed(res, ['Hello ', 'you']);
  expect(await (await say('hi')).text()).toContain('Hello');
  await h.settled();
  expect(fake.streams.pieces).toEqual([]);
  expect(fake.asked.map(({ texts }) => texts.map(({ text }) => text))).toEqual([['Hello you']]);
  await h.reset();
  fake.asked.length = 0;
  asks({ action: 'BLOCK' }, [{ ...RULE, id: 'two', action: 'OBSERVE' }]);
  h.upstream.script = (res) => streamed(res, ['Hello ', 'you']);
  await (await say('hi')).text();
  await h.settled();
  expect(fake.streams.pieces.length).toBeGreaterThan(0);
  expect(fake.asked.map(({ rule, texts }) => [rule?.id, texts[0]?.text])).toEqual([
    ['two', 'Hello you'],
  ]);
});

test('beside a service that does not stream, all judge the whole answer', async () => {
  const streaming = serviceAt(fake.url, { type: 'TOLLGATE_GRPC', streams: true });
  const whole = { ...serviceAt(service.url), serviceId: 'service-1', identifier: 'other' };
  askRules(
    h,
    [
      { ...RULE, action: 'BLOCK' },
      {
        ...RULE,
        id: 'two',
        action: 'BLOCK',
        kind: 'EXTERNAL',
        service: 'other',
        timeoutMs: 10_000,
      },
    ],
    streaming,
  );
  for (const policy of h.catalog.screeningPolicies.values()) policy.services?.push(whole);
  service.answer = (_, res) => json(res, { verdict: 'PASS' });
  h.upstream.script = (res) => streamed(res, ['Hello']);
  expect(await (await say('hi')).text()).toContain('Hello');
  expect([fake.streams.pieces.length, fake.asked.length, service.asked.length]).toEqual([0, 1, 1]);
});

test.each([true, false])(
  'the end of a stream repeats nothing that was not judged: piece by piece %s',
  async (streams) => {
    fake.stop();
    fake = await startFakeGrpcService(({ texts }) => ({
      verdict: 'PASS',
      findings: texts.flatMap(({ id, text }) => {
        const start = text.indexOf('Bobby');
        return start < 0 ? [] : [{ textId: id, start, end: start + 5, label: 'NAME' }];
      }),
    }));
    fake.judge = finds('Bobby');
    const given = serviceAt(fake.url, { type: 'TOLLGATE_GRPC', streams });
    askRules(h, [{ ...RULE, action: 'MASK' }], given, {}, { providerType: 'CUSTOM' });
    // Without usage the end is written when the output has been counted.
    h.upstream.script = (res) => {
      openSse(res);
      res.end(role() + delta('for Bobby') + stop() + DONE);
    };
    const path = '/v1/responses';
    const reply = await h.post(path, { model: 'house-model', input: 'Hi', stream: true });
    const text = await reply.text();
    expect(text).toContain('for <NAME_1>');
    expect(text).toContain('response.completed');
    expect(text).not.toContain('Bobby');
  },
);

test('a whole answer is one check', async () => {
  asks({ action: 'BLOCK' });
  expect((await say('hi', { stream: false })).status).toBe(200);
  expect([fake.streams.pieces.length, fake.asked.length]).toEqual([0, 1]);
});

test('a long answer passes with little in memory, and the upstream waits for the service', async () => {
  let answers = 0;
  asks({ action: 'BLOCK', timeoutMs: 30_000 }, [], {
    maxOutputTokens: 1_000_000,
    heldOutputTokens: 1_000_000,
  });
  const word = 'word '.repeat(800);
  h.upstream.script = async (res) => {
    openSse(res);
    res.write(role());
    for (let at = 0; at < 200; at += 1) {
      if (res.write(delta(word))) continue;
      await new Promise<void>((resolve) => {
        res.once('drain', resolve);
      });
    }
    res.end(stop() + usageChunk() + DONE);
  };
  fake.judge = (_, said) => {
    answers += 1;
    return { released: said.length };
  };
  const text = await (await say('hi')).text();
  expect(text.split('word ')).toHaveLength(800 * 200 + 1);
  expect(answers).toBeGreaterThan(20);
});

const AS_JSON = {
  id: 'form',
  kind: 'JSON_SCHEMA',
  schema: { type: 'object', required: ['name'] },
  action: 'BLOCK',
  where: ['OUTPUT'],
};

test.each([
  ['is what it must be', ['{"name":', '"Ann"}'], true],
  ['is something else', ['some ', 'words'], false],
])('with a rule about its form, an answer waits for its end: it %s', async (_, pieces, passes) => {
  asks({ action: 'BLOCK' }, [AS_JSON]);
  h.upstream.script = (res) => streamed(res, pieces);
  const received = await (await say('hi')).text();
  // The service is asked about all of it.
  expect(fake.asked).toHaveLength(1);
  expect(received.includes('Ann')).toBe(passes);
  expect(received.includes('content_blocked')).toBe(!passes);
  expect(received).not.toContain('words');
});
