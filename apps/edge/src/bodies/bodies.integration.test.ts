// Bodies on their way from a client to the catalog: of organisations that keep them, masked, and never at the cost of
// the request.

import type { KeptBodies, RequestBodies__Output } from '@tollgate/contracts/node';

import { screens } from '../screening/test-support/rules';
import { STREAMS } from '../screening/test-support/streams';
import { completion, delta, DONE, openSse, role, stop } from '../test-support/fake-upstream';
import { allow, candidate, chat, startHarness, until, type Harness } from '../test-support/harness';

const CHAT = '/v1/chat/completions';
const MAIL = 'ada@example.com';
const SECRET = 'sk-proj-9aB8cD7eF6gH5iJ4kL3mN2oP1qR0';
const SUBJECT = {
  organisationId: 'organisation-1',
  teamId: '',
  userId: '',
  apiKeyId: 'key-1',
  apiKeyName: 'key',
  apiKeyType: 'ORGANISATION',
  organisationSlug: 'acme',
};
const ALL: KeptBodies = { request: true, answer: true, percent: 100, onlyFailed: false };

let harness: Harness | undefined;
afterEach(async () => {
  await harness?.stop();
  harness = undefined;
});

async function start(setting: KeptBodies | null = ALL, over = {}, deps = {}): Promise<Harness> {
  harness = await startHarness(over, deps);
  wants(harness, setting);
  return harness;
}

function wants(h: Harness, keptBodies: KeptBodies | null): void {
  const { decide } = h.policy;
  h.policy.decide = (question) => {
    const reply = decide(question);
    return reply.allow
      ? { ...reply, allow: { ...reply.allow, subject: SUBJECT, keptBodies } }
      : reply;
  };
}

async function keptBy(h: Harness): Promise<RequestBodies__Output> {
  await until(() => h.catalog.bodies.length > 0, 'bodies in the catalog');
  const [first] = h.catalog.bodies;
  if (!first) throw new Error('no bodies');
  return first;
}

const say = (content: unknown, over = {}) =>
  chat({ messages: [{ role: 'user', content }], ...over });
const parsed = (text: string | undefined): unknown => JSON.parse(text ?? '');

test('request and answer are kept, masked, and the client gets its answer as it is', async () => {
  const h = await start();
  h.upstream.script = (res) => completion(res, { text: `Dear ${MAIL}` });
  const response = await h.post(CHAT, say(`I am ${MAIL}, my key is ${SECRET}`));
  expect(await response.text()).toContain(MAIL);
  const kept = await keptBy(h);
  expect(kept.requestId).toBe(response.headers.get('x-tollgate-request-id'));
  expect(kept.organisationId).toBe('organisation-1');
  expect(parsed(kept.request?.text)).toMatchObject({
    messages: [{ role: 'user', content: 'I am <EMAIL_1>, my key is <API_KEY_1>' }],
  });
  expect(parsed(kept.answer?.text)).toMatchObject({
    choices: [{ message: { content: 'Dear <EMAIL_1>' } }],
  });
  expect(kept.masked).toEqual([
    { label: 'EMAIL', count: 2 },
    { label: 'API_KEY', count: 1 },
  ]);
  const all = JSON.stringify(h.catalog.bodies);
  for (const text of [MAIL, SECRET, 'tg_test-key', 'sk-upstream-secret']) {
    expect(all).not.toContain(text);
  }
});

const conversations = STREAMS.filter(({ path }) => !path.includes('/completions') || path === CHAT);

test.each(conversations.map((one) => [one.name, one] as const))(
  'a streamed answer is put together and masked: %s',
  async (_name, { path, request, script, upstream }) => {
    const h = await startHarness();
    harness = h;
    h.policy.decide = () => allow([candidate(upstream)]);
    wants(h, ALL);
    h.upstream.script = (res) => script(res, 'bare text', ['Mail a', 'da@exam', 'ple.com now']);
    const text = await (await h.post(path, request)).text();
    expect(text).toContain('exam');
    const { answer } = await keptBy(h);
    expect(answer).toMatchObject({ leftOut: '', partial: false });
    expect(answer?.text).toContain('Mail <EMAIL_1> now');
  },
);

test('without the setting nothing is sent, whatever else is kept', async () => {
  const h = await start(null);
  await (await h.post(CHAT, say('Hi'))).text();
  wants(h, { ...ALL, answer: false });
  await (await h.post(CHAT, say('Hi'))).text();
  const kept = await keptBy(h);
  expect(h.catalog.bodies).toHaveLength(1);
  expect(kept.answer).toBeNull();
});

test('a share of the requests is kept', async () => {
  const draws = [0.5, 0.1];
  const h = await start({ ...ALL, percent: 20 }, {}, { random: () => draws[0] ?? 0 });
  await (await h.post(CHAT, say('first'))).text();
  draws.shift();
  await (await h.post(CHAT, say('second'))).text();
  expect((await keptBy(h)).request?.text).toContain('second');
});

test('only failed requests: an error is kept as the client got it', async () => {
  const h = await start({ ...ALL, onlyFailed: true });
  await (await h.post(CHAT, say('good'))).text();
  h.upstream.script = (res) => {
    res.writeHead(400, { 'content-type': 'application/json' });
    res.end(JSON.stringify({ error: { message: `no ${MAIL}`, type: 'invalid', code: null } }));
  };
  const refused = await h.post(CHAT, say('bad'));
  expect(refused.status).toBe(400);
  expect(await refused.text()).toContain(MAIL);
  const kept = await keptBy(h);
  expect(kept.request?.text).toContain('bad');
  expect(kept.answer?.text).toContain('no <EMAIL_1>');
  expect(kept.answer?.text).not.toContain(MAIL);
});

test('nothing is kept of what a rule blocks, and the page can say so', async () => {
  const h = await start();
  screens(h, [{ kind: 'KEYWORDS', keywords: ['forbidden'], wholeWords: true }]);
  wants(h, ALL);
  const refused = await h.post(CHAT, say('a forbidden word'));
  expect(refused.status).toBe(403);
  const kept = await keptBy(h);
  expect(kept.request).toMatchObject({ text: '', leftOut: 'BLOCKED' });
  expect(kept.answer).toMatchObject({ text: '', leftOut: 'BLOCKED' });
});

test('an overlong stream is not kept in memory, and the client gets all of it', async () => {
  const h = await start(ALL, { KEPT_BODY_BYTES: 1_024 });
  h.upstream.script = (res) => {
    openSse(res);
    res.write(role());
    for (let at = 0; at < 50; at += 1) res.write(delta('x'.repeat(100)));
    res.end(stop() + DONE);
  };
  const text = await (await h.post(CHAT, say('Hi', { stream: true }))).text();
  expect(text.match(/x{100}/g)).toHaveLength(50);
  expect((await keptBy(h)).answer).toMatchObject({ text: '', leftOut: 'TOO_LARGE' });
});

test('a request that is too large is not kept, and its answer is', async () => {
  const h = await start(ALL, { KEPT_BODY_BYTES: 1_024 });
  await (await h.post(CHAT, say('word '.repeat(1_000)))).text();
  const kept = await keptBy(h);
  expect(kept.request).toMatchObject({ text: '', leftOut: 'TOO_LARGE' });
  expect(kept.answer?.leftOut).toBe('');
});

test('pictures are notes', async () => {
  const h = await start();
  const url = `data:image/png;base64,${Buffer.alloc(30_000, 'pixels').toString('base64')}`;
  await (await h.post(CHAT, say([{ type: 'image_url', image_url: { url } }]))).text();
  expect((await keptBy(h)).request?.text).toContain('[image/png, 30000 bytes]');
});

test('without room bodies are notes, and the requests go on', async () => {
  const h = await start(ALL, { KEPT_BODIES_BUFFER_BYTES: 1 });
  const response = await h.post(CHAT, say('Hi'));
  expect(response.status).toBe(200);
  await response.text();
  const kept = await keptBy(h);
  expect(kept.request).toMatchObject({ text: '', leftOut: 'QUEUE_FULL' });
  const metrics = await (await h.ops('/metrics')).text();
  expect(metrics).toMatch(/tollgate_edge_kept_bodies_total\{[^}]*outcome="queue_full"[^}]*\} [12]/);
});

test('while the catalog is away requests are answered, and bodies follow later', async () => {
  const h = await start();
  await (await h.post(CHAT, say('first'))).text();
  await keptBy(h);
  h.catalog.away = true;
  const response = await h.post(CHAT, say('second'));
  expect(response.status).toBe(200);
  await response.text();
  h.catalog.away = false;
  await until(() => h.catalog.bodies.length === 2, 'the second bodies');
});

test('bodies that wait are sent before the edge stops', async () => {
  const h = await start();
  await (await h.post(CHAT, say('last'))).text();
  await h.edge.stop();
  expect((await keptBy(h)).request?.text).toContain('last');
});
