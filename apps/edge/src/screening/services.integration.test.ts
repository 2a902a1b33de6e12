// Rules that ask services: what is sent, what is done with the verdict, and what happens without one.

import type { ServerResponse } from 'node:http';

import { answerJson, streamed, USAGE } from '../test-support/fake-upstream';
import { errorOf, until, type Harness } from '../test-support/harness';
import {
  askRules,
  findsWord,
  say as sayTo,
  sentTo,
  textsIn,
  useService,
} from './test-support/asking';
import {
  json,
  SERVICE_SECRET,
  serviceAt,
  startFakeService,
  type Asked,
  type FakeService,
} from './test-support/fake-service';
import { screens } from './test-support/rules';

let h: Harness;
let service: FakeService;
useService((parts) => {
  ({ h, service } = parts);
});

const asks = (
  rules: Parameters<typeof askRules>[1],
  given = serviceAt(service.url),
  ...more: [Parameters<typeof askRules>[3]?, Parameters<typeof askRules>[4]?]
) => askRules(h, rules, given, ...more);
const say = (content: string, over?: object) => sayTo(h, content, over);

test('a service gets the new texts and the rule, and nothing else', async () => {
  asks([
    { id: 'mail', kind: 'PERSONAL_DATA', action: 'MASK', where: ['INPUT'] },
    { action: 'BLOCK', where: ['INPUT', 'TOOL_RESULTS'] },
  ]);
  const messages = [
    { role: 'user', content: 'old' },
    { role: 'assistant', content: 'an answer' },
    { role: 'tool', tool_call_id: 'call_1', content: 'a result' },
    { role: 'user', content: 'I am ann@example.com' },
  ];
  const reply = await say('', { messages });
  expect(reply.status).toBe(200);
  const [asked] = service.asked;
  expect(asked?.headers['authorization']).toBe(`Bearer ${SERVICE_SECRET}`);
  expect(asked?.body).toEqual({
    requestId: reply.headers.get('x-tollgate-request-id'),
    rule: { policy: 'house', id: 'one', version: expect.any(Number) },
    texts: [
      { id: '0', place: 'TOOL_RESULTS', role: 'user', text: 'a result' },
      { id: '1', place: 'INPUT', role: 'user', text: 'I am <EMAIL_1>' },
    ],
  });
  expect(JSON.stringify(asked)).not.toContain('tg_test-key');
});

test('a refusal blocks the request before the upstream call, and has a record', async () => {
  asks([{ action: 'BLOCK', where: ['INPUT'] }]);
  service.answer = (_, res) => json(res, { verdict: 'BLOCK' });
  const reply = await say('bad');
  expect(reply.status).toBe(403);
  expect(await errorOf(reply)).toMatchObject({ code: 'content_blocked' });
  expect(h.upstream.received).toHaveLength(0);
  expect(await h.settled()).toMatchObject({
    costNanoUsd: '0',
    errorCode: 'content_blocked',
    screening: expect.stringMatching(/^house\/one;v=\d+;in=input;action=block;hits=1;ms=\d+$/),
  });
});

test('a finding is masked by code points, and restored', async () => {
  asks([{ action: 'MASK', where: ['INPUT'] }]);
  service.answer = findsWord('Ünï');
  h.upstream.script = (res, { body }) => {
    const { messages } = body as { messages: { content: string }[] };
    const message = { role: 'assistant', content: `you said ${messages[0]?.content}` };
    answerJson(res, { choices: [{ index: 0, message, finish_reason: 'stop' }], usage: USAGE });
  };
  const reply = await say('🙂🙂 Ünï lives here');
  expect(sentTo(h)).toContain('🙂🙂 <NAME_1> lives here');
  expect(await reply.text()).toContain('you said 🙂🙂 Ünï lives here');
});

test('a refusal without a part blocks, where the rule would mask', async () => {
  asks([{ action: 'MASK', where: ['INPUT'] }]);
  service.answer = (_, res) => json(res, { verdict: 'BLOCK' });
  expect((await say('bad')).status).toBe(403);
});

test('all rules ask at once', async () => {
  asks([
    { action: 'BLOCK', where: ['INPUT'] },
    { id: 'two', action: 'BLOCK', where: ['INPUT'] },
    { id: 'three', action: 'BLOCK', where: ['INPUT'] },
  ]);
  const waiting: ServerResponse[] = [];
  service.answer = (_, res) => {
    waiting.push(res);
    if (waiting.length === 3) for (const one of waiting) json(one, { verdict: 'PASS' });
  };
  expect((await say('fine')).status).toBe(200);
});

describe('beside the upstream call', () => {
  /** Answers the check when the upstream has answered. */
  function upstreamFirst(verdict: string, stream: boolean): void {
    let check: ServerResponse | undefined;
    let answered = false;
    const decide = (): void => {
      if (check && answered) json(check, { verdict });
    };
    service.answer = (_, res) => {
      check = res;
      decide();
    };
    h.upstream.script = (res) => {
      if (stream) streamed(res, ['hello']);
      else {
        const message = { role: 'assistant', content: 'hello' };
        answerJson(res, { choices: [{ index: 0, message, finish_reason: 'stop' }], usage: USAGE });
      }
      answered = true;
      decide();
    };
  }

  test.each([false, true])(
    'a refusal withholds the answer, which is charged: stream %s',
    async (stream) => {
      asks([{ action: 'BLOCK', where: ['INPUT'], wait: 'BESIDE' }]);
      upstreamFirst('BLOCK', stream);
      const reply = await say('bad', { stream });
      expect(reply.status).toBe(403);
      expect(await reply.text()).not.toContain('hello');
      const settled = await h.settled();
      expect(settled).toMatchObject({ errorCode: 'content_blocked', outcome: 'FAILED' });
      expect(Number(settled.costNanoUsd)).toBeGreaterThan(0);
    },
  );

  test.each([false, true])('a pass lets the answer go: stream %s', async (stream) => {
    asks([{ action: 'BLOCK', where: ['INPUT'], wait: 'BESIDE' }]);
    upstreamFirst('PASS', stream);
    const reply = await say('fine', { stream });
    expect(reply.status).toBe(200);
    expect(await reply.text()).toContain('hello');
  });

  test('a rule that observes holds up nothing but the record', async () => {
    asks([{ action: 'OBSERVE', where: ['INPUT'] }]);
    let check: ServerResponse | undefined;
    service.answer = (_, res) => {
      check = res;
    };
    const reply = await say('bad');
    expect(reply.status).toBe(200);
    await reply.text();
    expect(h.policy.settled).toHaveLength(0);
    await until(() => check !== undefined, 'the check');
    if (check) json(check, { verdict: 'BLOCK' });
    expect(await h.settled()).toMatchObject({
      screening: expect.stringContaining('action=observe;hits=1'),
    });
  });
});

describe('answers', () => {
  const answers = (content: string): void => {
    h.upstream.script = (res) => {
      const message = { role: 'assistant', content };
      answerJson(res, { choices: [{ index: 0, message, finish_reason: 'stop' }], usage: USAGE });
    };
  };

  test('a whole answer is refused, and charged', async () => {
    asks([{ action: 'BLOCK', where: ['OUTPUT'] }]);
    answers('something bad');
    service.answer = findsWord('bad');
    const reply = await say('hi');
    expect(reply.status).toBe(403);
    const settled = await h.settled();
    expect(settled).toMatchObject({ errorCode: 'content_blocked' });
    expect(Number(settled.costNanoUsd)).toBeGreaterThan(0);
  });

  test('a service reads an answer before masked texts are put back', async () => {
    asks([
      { id: 'mail', kind: 'PERSONAL_DATA', action: 'MASK', where: ['INPUT'] },
      { action: 'MASK', where: ['OUTPUT'] },
    ]);
    answers('write to <EMAIL_1>, dear Bob');
    service.answer = findsWord('Bob');
    const reply = await say('I am ann@example.com');
    expect(service.asked).toHaveLength(1);
    expect(JSON.stringify(service.asked)).not.toContain('ann@');
    expect(await reply.text()).toContain('write to ann@example.com, dear <NAME_1>');
  });

  const streams = (...parts: string[]): void => {
    h.upstream.script = (res) => streamed(res, parts);
  };

  test('a stream is withheld until its verdict, and edited across its events', async () => {
    asks([
      { id: 'mail', kind: 'PERSONAL_DATA', action: 'MASK', where: ['INPUT'] },
      { action: 'MASK', where: ['OUTPUT'] },
    ]);
    streams('hello Bo', 'b, ask <EMA', 'IL_1> now');
    let check: { asked: Asked; res: ServerResponse } | undefined;
    service.answer = (asked, res) => {
      check = { asked, res };
    };
    const reply = await say('I am ann@example.com', { stream: true });
    const reading = reply.text();
    await until(() => check !== undefined, 'the check');
    const texts = check ? textsIn(check.asked) : [];
    expect(texts.map(({ text }) => text)).toContain('hello Bob, ask <EMAIL_1> now');
    if (check) findsWord('Bob')(check.asked, check.res);
    const text = await reading;
    const said = [...text.matchAll(/"content":"([^"]*)"/g)].map(([, part]) => part).join('');
    expect(said).toBe('hello <NAME_1>, ask ann@example.com now');
    expect(text).toContain('[DONE]');
    const { firstTokenMs } = await h.settled();
    expect(firstTokenMs).toBeGreaterThan(0);
  });

  test('a refused stream ends with an error, sends nothing else, and is charged', async () => {
    asks([{ action: 'BLOCK', where: ['OUTPUT'] }]);
    streams('something ', 'bad');
    service.answer = findsWord('something bad');
    const text = await (await say('hi', { stream: true })).text();
    expect(text).toContain('content_blocked');
    expect(text).not.toContain('something');
    expect(text).not.toContain('[DONE]');
    const settled = await h.settled();
    expect(settled).toMatchObject({ errorCode: 'content_blocked', outcome: 'PARTIAL' });
    expect(Number(settled.costNanoUsd)).toBeGreaterThan(0);
  });
});

describe('answers that rules observe', () => {
  const OBSERVES = { action: 'OBSERVE', where: ['OUTPUT'] };

  test('a stream is not withheld, and its record waits for the verdict', async () => {
    asks([OBSERVES]);
    let check: { asked: Asked; res: ServerResponse } | undefined;
    service.answer = (asked, res) => {
      check = { asked, res };
    };
    h.upstream.script = (res) => streamed(res, ['something ', 'bad']);
    const text = await (await say('hi', { stream: true })).text();
    expect(text).toContain('[DONE]');
    await until(() => check !== undefined, 'the check');
    expect(h.policy.settled).toHaveLength(0);
    if (check) findsWord('something bad')(check.asked, check.res);
    expect(await h.settled()).toMatchObject({
      outcome: 'COMPLETED',
      screening: expect.stringContaining('in=output;action=observe;hits=1'),
    });
  });

  test('it is withheld if the service would read a masked text', async () => {
    asks([{ id: 'mail', kind: 'PERSONAL_DATA', action: 'MASK', where: ['INPUT'] }, OBSERVES]);
    h.upstream.script = (res) => streamed(res, ['for <EMAI', 'L_1>']);
    const text = await (await say('I am ann@example.com', { stream: true })).text();
    expect(text).toContain('ann@example.com');
    expect(JSON.stringify(service.asked)).not.toContain('ann@');
  });
});

describe('a stream that is too long', () => {
  const long = (): void => {
    const text = 'long '.repeat(20_000);
    h.upstream.script = (res) =>
      streamed(
        res,
        Array.from({ length: 50 }, () => text),
      );
  };
  const wide = { maxOutputTokens: 10_000_000, heldOutputTokens: 10_000_000 };
  const output = (over: object): void =>
    asks([{ action: 'BLOCK', where: ['OUTPUT'], ...over }], serviceAt(service.url), {}, wide);

  test('BLOCK ends it, and sends nothing of it', async () => {
    output({});
    long();
    const text = await (await say('hi', { stream: true })).text();
    expect(text).toContain('dependency_unavailable');
    expect(text).not.toContain('long');
    expect(await h.settled()).toMatchObject({ screening: expect.stringContaining('failed=1') });
  });

  test('PASS sends all of it', async () => {
    output({ onError: 'PASS' });
    long();
    const text = await (await say('hi', { stream: true })).text();
    expect(text.match(/long /g)).toHaveLength(1_000_000);
    expect(text).toContain('[DONE]');
    expect(service.asked).toHaveLength(0);
  });
});

describe('without a verdict', () => {
  const PROBLEMS: [string, (asked: Asked, res: ServerResponse) => void][] = [
    ['frozen', () => undefined],
    ['killed', (_, res) => void res.destroy()],
    ['failing', (_, res) => json(res, { error: 'x' }, 500)],
    ['unauthorised', (_, res) => json(res, { error: 'x' }, 401)],
    ['not JSON', (_, res) => void res.end('<html>secret text</html>')],
    ['another answer', (_, res) => json(res, { ok: true })],
    ['a text that is not there', (_, res) => json(res, wrong({ textId: '7', start: 0, end: 1 }))],
    [
      'an offset that is not there',
      (_, res) => json(res, wrong({ textId: '0', start: 0, end: 99 })),
    ],
    ['an empty finding', (_, res) => json(res, wrong({ textId: '0', start: 1, end: 1 }))],
  ];
  const wrong = (finding: object) => ({ verdict: 'PASS', findings: [finding] });
  // Only a frozen service is waited for.
  const timeoutMs = (problem: string) => (problem === 'frozen' ? 100 : 10_000);

  test.each(PROBLEMS)('BLOCK answers 503: %s', async (problem, answer) => {
    asks([{ action: 'BLOCK', where: ['INPUT'], timeoutMs: timeoutMs(problem) }]);
    service.answer = answer;
    const reply = await say('fine');
    expect(reply.status).toBe(503);
    expect(await errorOf(reply)).toMatchObject({ code: 'dependency_unavailable' });
    expect(h.upstream.received).toHaveLength(0);
    expect(await h.settled()).toMatchObject({
      costNanoUsd: '0',
      screening: expect.stringContaining('action=block;failed=1'),
    });
    expect(h.log.join('\n')).not.toContain('secret text');
  });

  test.each(PROBLEMS)('PASS lets the request go, and records it: %s', async (problem, answer) => {
    asks([{ action: 'MASK', onError: 'PASS', where: ['INPUT'], timeoutMs: timeoutMs(problem) }]);
    service.answer = answer;
    const reply = await say('fine');
    expect(reply.status).toBe(200);
    expect(reply.headers.get('x-tollgate-screening')).toContain('action=mask;failed=1');
  });

  test('an answer without a verdict is not sent', async () => {
    asks([{ action: 'BLOCK', where: ['OUTPUT'] }]);
    service.answer = (_, res) => json(res, {}, 500);
    expect((await say('fine')).status).toBe(503);
    h.upstream.script = (res) => streamed(res, ['hello']);
    const text = await (await say('fine', { stream: true })).text();
    expect(text).toContain('dependency_unavailable');
    expect(text).not.toContain('hello');
  });

  test('a request without the rule does not wait for a frozen service', async () => {
    const frozen = await startFakeService();
    asks([{ action: 'BLOCK', where: ['INPUT'] }], serviceAt(frozen.url));
    frozen.answer = () => undefined;
    const waiting = Array.from({ length: 20 }, () => say('frozen'));
    await until(() => frozen.asked.length === 20, 'all checks');
    screens(h, []);
    expect((await say('fine')).status).toBe(200);
    await frozen.stop();
    const replies = await Promise.all(waiting);
    expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 503));
  });
});

test('the time of a refused request is measured too', async () => {
  asks([{ action: 'BLOCK', where: ['INPUT'] }]);
  service.answer = (_, res) => json(res, { verdict: 'BLOCK' });
  const measured = async (): Promise<number> => {
    const text = await (await h.ops('/metrics')).text();
    return Number(
      /^tollgate_screening_seconds_count\{service="edge"\} (\d+)$/m.exec(text)?.[1] ?? 0,
    );
  };
  const before = await measured();
  expect((await say('bad')).status).toBe(403);
  expect(await measured()).toBe(before + 1);
});

test('verdicts and checks are counted', async () => {
  asks([
    { id: 'mail', kind: 'PERSONAL_DATA', action: 'MASK', where: ['INPUT'] },
    { action: 'OBSERVE', onError: 'PASS', where: ['INPUT'] },
  ]);
  service.answer = (_, res) => json(res, {}, 500);
  const read = async (): Promise<string> => (await h.ops('/metrics')).text();
  const valueOf = (text: string, name: string): number =>
    Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${name} `))
        ?.split(' ')[1] ?? 0,
    );
  const rows = [
    'tollgate_screening_verdicts_total{action="MASK",place="INPUT",kind="PERSONAL_DATA",service="edge"}',
    'tollgate_screening_errors_total{place="INPUT",on_error="PASS",service="edge"}',
    'tollgate_screening_seconds_count{service="edge"}',
    'tollgate_screening_check_seconds_count{service="edge",outcome="failed"}',
  ];
  const before = await read();
  expect((await say('I am ann@example.com')).status).toBe(200);
  await h.settled();
  await until(() => h.policy.heldNow() === 0, 'the end of the request');
  const after = await read();
  expect(rows.map((row) => valueOf(after, row) - valueOf(before, row))).toEqual([1, 1, 1, 1]);
});

test('the requests of a judge behind the gateway are not judged', async () => {
  asks([{ action: 'BLOCK', where: ['INPUT', 'OUTPUT'] }], serviceAt(service.url), {
    serviceKeyIds: ['key-judge'],
    apiKeyId: 'key-judge',
  });
  service.answer = (_, res) => json(res, { verdict: 'BLOCK' });
  expect((await say('judge this')).status).toBe(200);
  expect(service.asked).toHaveLength(0);
});

test('a private address is not asked', async () => {
  asks([{ action: 'BLOCK', where: ['INPUT'] }], serviceAt('http://10.0.0.7:80'));
  expect((await say('fine')).status).toBe(503);
  asks(
    [{ action: 'BLOCK', where: ['INPUT'] }],
    serviceAt('http://10.0.0.7:80', { type: 'TOLLGATE_GRPC' }),
  );
  expect((await say('fine')).status).toBe(503);
});
