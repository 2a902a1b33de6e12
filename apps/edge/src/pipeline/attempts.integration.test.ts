// Routing policies: when the next candidate is tried, and how failed attempts are booked and
// reported.

import type { Candidate, ExtendReply, Routing } from '@tollgate/contracts/node';

import { connection } from '../test-support/fake-catalog';
import {
  completion,
  delta,
  errorAnswer,
  openSse,
  role,
  stop,
  streamed,
  usageChunk,
  type Script,
} from '../test-support/fake-upstream';
import {
  allow,
  candidate,
  chat,
  errorOf,
  routed,
  startHarness,
  until,
  type Harness,
} from '../test-support/harness';

/** For an upstream that never answers, and need not be reached within this time. */
const SHORT_MS = 100;
/** For an upstream that must be reached within this time, even on a busy machine. */
const REACHED_MS = 1_000;

let h: Harness;
beforeAll(async () => {
  h = await startHarness();
});
beforeEach(() => h.reset());
afterAll(() => h.stop());

const first = candidate({ upstreamModel: 'one', modelId: 'model-1', estimateNanoUsd: '111' });
const second = candidate({ upstreamModel: 'two', modelId: 'model-2', estimateNanoUsd: '222' });
const third = candidate({ upstreamModel: 'three', modelId: 'model-3', estimateNanoUsd: '333' });

function route(candidates: Candidate[], routing: Routing = {}): void {
  h.policy.decide = () => routed(candidates, routing);
}

/** Each model of the upstream runs its own script. */
function models(scripts: Record<string, Script>): void {
  h.upstream.script = (res, received) => {
    const script = scripts[String(received.body['model'])];
    return script ? script(res, received) : completion(res, {});
  };
}

const post = (over: object = {}, headers: Record<string, string> = {}) =>
  h.post('/v1/chat/completions', chat(over), headers);
const asked = () => h.upstream.received.map(({ body }) => body['model']);
const never: Script = () => undefined;
const refuses =
  (status: number, headers = {}): Script =>
  (res) =>
    errorAnswer(res, status, headers);

async function outcomes(): Promise<(string | undefined)[]> {
  return (await h.settled()).attempts.map(({ outcome }) => outcome);
}

describe('triggers', () => {
  test.each<[string, Script, string[], string[]]>([
    ['a server error', refuses(500), ['5xx'], ['one', 'two']],
    ['a server error', refuses(500), ['timeout', 'rate_limit'], ['one']],
    ['refused credentials', refuses(401), ['5xx'], ['one', 'two']],
    ['an account without credit', refuses(402), ['5xx'], ['one', 'two']],
    ['an account without credit', refuses(402), ['rate_limit'], ['one']],
    ['too many calls', refuses(429), ['5xx', 'timeout'], ['one']],
    ['too many calls', refuses(429), ['rate_limit'], ['one', 'two']],
    ['a timeout', refuses(408), ['timeout'], ['one', 'two']],
    ['a timeout', refuses(408), ['5xx'], ['one']],
    ['a refusal of the request', refuses(400), ['5xx', 'timeout', 'rate_limit'], ['one']],
    ['a refusal of the request', refuses(400), ['any'], ['one', 'two']],
  ])('%s, %#', async (_name, script, triggers, expected) => {
    route([first, second], { triggers });
    models({ one: script });
    const response = await post();
    expect(response.ok).toBe(expected.length > 1);
    expect(response.headers.get('x-tollgate-attempt')).toBe(String(expected.length));
    expect(asked()).toEqual(expected);
    await h.settled();
  });

  test('a candidate that cannot be called is skipped', async () => {
    route([candidate({ providerId: 'unknown' }), second], { triggers: ['any'] });
    expect((await post()).status).toBe(200);
    expect(asked()).toEqual(['two']);
    expect(await h.settled()).toMatchObject({ cancelled: false, modelId: 'model-2' });
  });
});

test('an answer names its candidate and its attempt', async () => {
  route([first, second], { strategy: 'priority' });
  models({ one: refuses(503) });
  const { headers } = await post();
  expect(Object.fromEntries(headers)).toMatchObject({
    'x-tollgate-attempt': '2',
    'x-tollgate-routing': 'priority',
    'x-tollgate-provider': 'provider_a',
    'x-tollgate-cost-usd': '0.00002',
  });
  await h.settled();
});

describe('a stream', () => {
  const opening: Script = (res) => {
    openSse(res);
    res.write(role());
  };

  test.each<[string, Script, string]>([
    ['falls silent', opening, 'TIMEOUT'],
    ['is cut', (res) => (openSse(res), void res.write(role(), () => res.destroy())), 'EARLY_END'],
    ['ends', (res) => (openSse(res), void res.end(role())), 'EARLY_END'],
    [
      'fails',
      (res) => (openSse(res), void res.end(`${role()}data: {"error":{"message":"no"}}\n\n`)),
      'UPSTREAM_ERROR',
    ],
  ])('that %s before its first output moves on', async (_name, script, outcome) => {
    route([{ ...first, timeouts: { firstTokenMs: REACHED_MS } }, second]);
    models({ one: script, two: (res) => streamed(res, ['ok']) });
    const response = await post({ stream: true });
    const text = await response.text();
    expect(text).toContain('ok');
    expect(text.match(/"role":"assistant"/g)).toHaveLength(1);
    expect(response.headers.get('x-tollgate-attempt')).toBe('2');
    const settled = await h.settled();
    expect(settled).toMatchObject({ outcome: 'COMPLETED', modelId: 'model-2' });
    expect(settled.attempts.map((attempt) => attempt.outcome)).toEqual([outcome, 'OK']);
    expect(h.policy.extended).toMatchObject([{ modelId: 'model-2', addNanoUsd: '222' }]);
  });

  test('the reported usage of a failed attempt is charged, and summed', async () => {
    route([first, second]);
    models({
      one: (res) => (openSse(res), void res.end(role() + stop() + usageChunk())),
      two: (res) => streamed(res, ['ok']),
    });
    const asked = { 'x-tollgate-stream-cost': 'true' };
    const text = await (await post({ stream: true }, asked)).text();
    expect(text).toContain('x-tollgate-cost-usd: 0.00004');
    expect(await h.settled()).toMatchObject({
      costNanoUsd: '40000',
      usage: { input: 20, output: 10 },
      usageQuality: 'EXACT',
      attempts: [
        { costNanoUsd: '20000', priceId: 'price-1', usage: { input: 10, output: 5 } },
        { costNanoUsd: '20000', priceId: 'price-1', usage: { input: 10, output: 5 } },
      ],
    });
  });

  test('after a hold for a second bill, every further one is held for too', async () => {
    route([first, second, third]);
    models({
      one: (res) => (openSse(res), void res.end(role())),
      two: refuses(503),
      three: (res) => streamed(res, ['ok']),
    });
    expect(await (await post({ stream: true })).text()).toContain('ok');
    await h.settled();
    expect(h.policy.extended).toMatchObject([{ modelId: 'model-2' }, { modelId: 'model-3' }]);
  });

  test('does not move on if the hold cannot be raised for a second bill', async () => {
    route([first, second]);
    models({ one: (res) => (openSse(res), void res.end(role())) });
    h.policy.extend = (): ExtendReply => ({ granted: false, denial: { code: 'budget_exceeded' } });
    expect((await post({ stream: true })).status).toBe(502);
    expect(asked()).toEqual(['one']);
    expect(await h.settled()).toMatchObject({ outcome: 'FAILED', usageQuality: 'UNKNOWN' });
  });

  test('that fails after its first output is reported twice, and does not move on', async () => {
    route([first, second]);
    models({ one: (res) => (openSse(res), void res.end(role() + delta('half'))) });
    const text = await (await post({ stream: true })).text();
    expect(text).toContain('"code":"upstream_error"');
    expect((await h.settled()).outcome).toBe('PARTIAL');
    await until(() => h.policy.reported.length > 1, 'two reports');
    expect(h.policy.reported).toMatchObject([
      { modelId: 'model-1', outcome: 'OK', stream: true },
      { modelId: 'model-1', outcome: 'EARLY_END' },
    ]);
    expect(Number(h.policy.reported[0]?.firstTokenMs)).toBeGreaterThan(0);
  });
});

describe('timeouts', () => {
  test.each<[string, object]>([
    ['attempt', { attemptMs: SHORT_MS }],
    ['first token', { firstTokenMs: SHORT_MS }],
  ])('the timeout of the %s moves on to the next candidate', async (_name, timeouts) => {
    route([{ ...first, timeouts }, second]);
    models({ one: never });
    expect((await post()).status).toBe(200);
    expect(await outcomes()).toEqual(['TIMEOUT', 'OK']);
    const { received } = h.upstream;
    const gone = () => received.every(({ aborted, body }) => aborted || body['model'] === 'two');
    await until(gone, 'the slow one to be let go');
  });

  test('silence within a stream ends it', async () => {
    route([{ ...first, timeouts: { idleMs: SHORT_MS } }, second]);
    models({ one: (res) => (openSse(res), void res.write(role() + delta('half'))) });
    const text = await (await post({ stream: true })).text();
    expect(text).toContain('half');
    expect(text).toContain('"code":"upstream_timeout"');
    expect(await outcomes()).toEqual(['TIMEOUT']);
  });

  test('a timeout within a stream charges the output so far, and does not count against the upstream', async () => {
    route([{ ...first, timeouts: { attemptMs: REACHED_MS } }, second]);
    models({ one: (res) => (openSse(res), void res.write(role() + delta('half'))) });
    const text = await (await post({ stream: true })).text();
    expect(text).toContain('"code":"upstream_timeout"');
    const settled = await h.settled();
    expect(settled).toMatchObject({ outcome: 'PARTIAL', usageQuality: 'ESTIMATED' });
    expect(settled.usage).toMatchObject({ output: 1 });
    expect(settled.attempts).toMatchObject([{ outcome: 'TIMEOUT' }]);
    expect(Number(settled.attempts[0]?.costNanoUsd)).toBeGreaterThan(0);
    await until(() => h.policy.reported.length > 1, 'two reports');
    expect(h.policy.reported.map(({ outcome }) => outcome)).toEqual(['OK', 'ABORTED']);
  });

  test('the total timeout aborts the running attempt, and no other is tried', async () => {
    route([first, second, third], { totalTimeoutMs: REACHED_MS });
    models({ one: never, two: never });
    const response = await post();
    expect(response.status).toBe(502);
    expect((await errorOf(response)).code).toBe('upstream_timeout');
    expect(asked()).toEqual(['one']);
    expect(await outcomes()).toEqual(['TIMEOUT']);
    // No client chose the moment, so nothing is charged for what nobody saw.
    expect(h.policy.settled[0]?.usage).toMatchObject({ output: 0 });
  });
});

describe('retries of a candidate', () => {
  const twice = (script: Script): Script => {
    let calls = 0;
    return (res, received) => {
      calls += 1;
      return calls > 1 ? completion(res, {}) : script(res, received);
    };
  };

  test.each([429, 503])('happen after %i, before the next candidate', async (status) => {
    route([first, second], { retries: 1, triggers: ['any'] });
    models({ one: twice(refuses(status)) });
    expect((await post()).status).toBe(200);
    expect(asked()).toEqual(['one', 'one']);
    expect(await outcomes()).toEqual([`HTTP_${status}`, 'OK']);
  });

  test.each<[string, Routing, Candidate, Script]>([
    ['when it may be billed', { retries: 3 }, first, refuses(500)],
    ['when it was interrupted', { retries: 3 }, first, (res) => void res.destroy()],
    ['when it asks for a wait', { retries: 3 }, first, refuses(503, { 'retry-after': '1' })],
    ['when it is a probe', { retries: 3 }, { ...first, probe: true }, refuses(503)],
    ['when the policy has no retries', {}, first, refuses(503)],
  ])('do not happen: %s', async (_name, routing, candidate_, script) => {
    route([candidate_, second], routing);
    models({ one: script });
    expect((await post()).status).toBe(200);
    expect(asked()).toEqual(['one', 'two']);
    await h.settled();
  });

  test('do not exceed the total timeout', async () => {
    route([first], { retries: 3, totalTimeoutMs: 5_000 });
    models({ one: refuses(429, { 'retry-after': '20' }) });
    expect((await post()).status).toBe(429);
    expect(asked()).toEqual(['one']);
    await h.settled();
  });
});

describe('a hedge beside a silent first attempt', () => {
  const hedge: Routing = { hedgeAfterMs: REACHED_MS };

  test('the faster attempt answers, and both are booked', async () => {
    route([first, second], hedge);
    models({ one: never });
    expect((await post()).headers.get('x-tollgate-attempt')).toBe('2');
    const settled = await h.settled();
    expect(settled).toMatchObject({
      outcome: 'COMPLETED',
      modelId: 'model-2',
      usageQuality: 'ESTIMATED',
      attempts: [
        { modelId: 'model-1', outcome: 'ABORTED', hedge: false },
        { modelId: 'model-2', outcome: 'OK', hedge: true, costNanoUsd: '20000' },
      ],
    });
    const [lost] = settled.attempts;
    expect(Number(lost?.costNanoUsd)).toBeGreaterThan(0);
    expect(settled.costNanoUsd).toBe(String(20_000 + Number(lost?.costNanoUsd)));
    expect(h.policy.extended).toMatchObject([
      { modelId: 'model-2', addNanoUsd: '222', addOutputTokens: 4_096 },
    ]);
    expect(Number(h.policy.extended[0]?.addInputTokens)).toBeGreaterThan(0);
    await until(() => h.upstream.received[0]?.aborted === true, 'the loser to be let go');
    await until(() => h.policy.reported.length > 1, 'both reports');
    expect(h.policy.reported.map(({ outcome }) => outcome).sort()).toEqual(['ABORTED', 'OK']);
  });

  test('the first attempt may still win', async () => {
    route([first, second], { hedgeAfterMs: SHORT_MS });
    let answerFirst: (() => void) | undefined;
    models({
      one: (res) => void (answerFirst = () => completion(res, { text: 'the first' })),
      two: async () => {
        await until(() => answerFirst !== undefined, 'the first to be called');
        answerFirst?.();
      },
    });
    expect(await (await post()).text()).toContain('the first');
    expect(await outcomes()).toEqual(['OK', 'ABORTED']);
  });

  test('costs and holds nothing if the first attempt answers before the delay', async () => {
    route([first, second], { hedgeAfterMs: 60_000 });
    models({ one: (res) => completion(res, {}) });
    expect((await post()).status).toBe(200);
    expect(await outcomes()).toEqual(['OK']);
    expect(h.policy.extended).toEqual([]);
  });

  test('does not start if the client disconnects before the delay', async () => {
    route([first, second], { hedgeAfterMs: 60_000 });
    const leaving = new AbortController();
    models({ one: () => leaving.abort() });
    const left = fetch(`${h.edge.url}/v1/chat/completions`, {
      method: 'POST',
      signal: leaving.signal,
      headers: { authorization: 'Bearer tg_test-key', 'content-type': 'application/json' },
      body: JSON.stringify(chat()),
    });
    await expect(left).rejects.toThrow();
    expect(await outcomes()).toEqual(['ABORTED']);
    expect(h.policy.extended).toEqual([]);
  });

  test('does not start if its cost cannot be held', async () => {
    route([first, second], { hedgeAfterMs: SHORT_MS });
    h.policy.extend = (): ExtendReply => ({ granted: false, denial: { code: 'budget_exceeded' } });
    models({
      one: async (res) => {
        await until(() => h.policy.extended.length > 0, 'an extension to be asked for');
        completion(res, {});
      },
    });
    expect((await post()).status).toBe(200);
    expect(asked()).toEqual(['one']);
    await h.settled();
  });

  test('a client that disconnects ends both attempts', async () => {
    route([first, second], { hedgeAfterMs: SHORT_MS });
    const leaving = new AbortController();
    models({ one: never, two: () => leaving.abort() });
    const left = fetch(`${h.edge.url}/v1/chat/completions`, {
      method: 'POST',
      signal: leaving.signal,
      headers: { authorization: 'Bearer tg_test-key', 'content-type': 'application/json' },
      body: JSON.stringify(chat()),
    });
    await expect(left).rejects.toThrow();
    expect(await h.settled()).toMatchObject({
      outcome: 'CLIENT_CLOSED',
      usageQuality: 'ESTIMATED',
      attempts: [{ outcome: 'ABORTED' }, { outcome: 'ABORTED' }],
    });
  });
});

describe('several keys of one provider', () => {
  beforeEach(() => {
    const provider = connection({ providerId: 'keys', baseUrl: h.upstream.url });
    const [own] = provider.secrets ?? [];
    version += 1;
    h.catalog.connections.set(`keys:${version}`, {
      ...provider,
      version,
      secrets: [own ?? {}, own ?? {}],
    });
    serve();
  });
  let version = 0;
  const serve = () => {
    const keyed = candidate({ providerId: 'keys', connectionVersion: version });
    h.policy.decide = () => allow([keyed]);
  };

  test.each([401, 402, 403, 429])(
    'a key answered with %i is replaced by the next',
    async (status) => {
      h.upstream.script = (res) =>
        h.upstream.received.length > 1 ? completion(res, {}) : errorAnswer(res, status);
      expect((await post()).status).toBe(200);
      expect(await outcomes()).toEqual([`HTTP_${status}`, 'OK']);
    },
  );

  test('if all keys are refused, the client gets the error, and each key was tried once', async () => {
    h.upstream.script = (res) => errorAnswer(res, 429, { 'retry-after': '7' });
    const response = await post();
    expect(response.status).toBe(429);
    expect(response.headers.get('retry-after')).toBe('7');
    expect(await outcomes()).toEqual(['HTTP_429', 'HTTP_429']);
    // All keys rest now, so the request tries exactly one of them.
    await h.reset();
    serve();
    expect((await post()).status).toBe(200);
    expect(h.upstream.received).toHaveLength(1);
  });
});

test('a form reaches the next candidate complete', async () => {
  route([first, second]);
  const sizes: number[] = [];
  h.upstream.script = (res, { raw }) => {
    sizes.push(raw.length);
    if (sizes.length === 1) return errorAnswer(res, 500);
    res.writeHead(200, { 'content-type': 'application/json' });
    res.end(JSON.stringify({ text: 'Hello', usage: { type: 'duration', seconds: 2 } }));
  };
  const form = new FormData();
  form.append('model', 'house-model');
  form.append('file', new Blob([new Uint8Array(3_000_000)]), 'a.mp3');
  const response = await h.send('/v1/audio/transcriptions', form);
  expect(response.status).toBe(200);
  expect(sizes).toHaveLength(2);
  expect(Math.abs((sizes[0] ?? 0) - (sizes[1] ?? 0))).toBeLessThan(64);
  expect(Math.min(...sizes)).toBeGreaterThan(3_000_000);
  await h.settled();
});

test('policy gets the capabilities that a model needs', async () => {
  const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }];
  const image_url = { url: 'https://pictures.example/a.png' };
  const messages = [{ role: 'user', content: [{ type: 'image_url', image_url }] }];
  await post();
  await post({ tools });
  await post({ tools, messages });
  const own = [{ type: 'function', name: 'f', parameters: null, strict: null }];
  const input = [{ type: 'additional_tools', role: 'developer', tools: own }];
  await h.post('/v1/responses', { model: 'house-model', input });
  expect(h.policy.authorized.map((request) => request.requiredCapabilities)).toEqual([
    '',
    'tools',
    'tools,vision',
    'tools',
  ]);
});

test('without a routing policy nothing is reported', async () => {
  expect((await post()).status).toBe(200);
  await h.settled();
  expect(h.policy.reported).toEqual([]);
});
