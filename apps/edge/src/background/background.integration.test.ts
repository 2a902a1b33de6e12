// A background response keeps its hold until its provider reports the usage, whether or not the
// client waits.

import type { ServerResponse } from 'node:http';

import { answerJson, type Received } from '../test-support/fake-upstream';
import {
  allow,
  candidate,
  KEY,
  MODEL,
  startHarness,
  until,
  type Harness,
} from '../test-support/harness';

let h: Harness;
beforeAll(async () => {
  h = await startHarness({ BACKGROUND_POLL_MS: 10 });
});
beforeEach(() => h.reset());
afterAll(() => h.stop());

const USAGE = { input_tokens: 1_000, output_tokens: 500, total_tokens: 1_500 };
/** At one dollar and two dollars per million tokens. */
const COST = '2000000';

const response = (status: string, over: object = {}) => ({
  id: 'resp_1',
  object: 'response',
  status,
  background: true,
  output: [],
  usage: null,
  ...over,
});

/** Answers `queued`, then the given states in turn; the last one repeats. */
function goThrough(...looks: (object | 404)[]) {
  let seen = 0;
  h.upstream.script = (res: ServerResponse, { method }: Received) => {
    if (method === 'POST') return answerJson(res, response('queued'));
    const shown = looks[Math.min(seen, looks.length - 1)];
    seen += 1;
    if (typeof shown === 'object') return answerJson(res, shown);
    res.writeHead(404, { 'content-type': 'application/json' });
    res.end(JSON.stringify({ error: { message: 'not found' } }));
  };
}

const create = (over: object = {}, init: RequestInit = {}) =>
  fetch(`${h.edge.url}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: MODEL, input: 'Hi', background: true, ...over }),
    ...init,
  });

test('the answer is passed on at once, and the settle waits for the provider’s final usage', async () => {
  goThrough(response('in_progress'), response('completed', { usage: USAGE }));
  const answer = await create();
  expect(await answer.json()).toEqual(response('queued'));
  expect(answer.headers.get('x-tollgate-cost-usd')).toBeNull();
  // Later requests for the response, at any edge, find its hold.
  expect(h.policy.extended).toMatchObject([{ responseId: 'resp_1', conversationId: '' }]);
  const settle = await h.settled();
  expect(settle).toMatchObject({
    cancelled: false,
    outcome: 'COMPLETED',
    usage: { input: 1_000, output: 500 },
    usageQuality: 'EXACT',
    costNanoUsd: COST,
    responseId: 'resp_1',
    attempts: [{ costNanoUsd: COST }],
  });
  expect(h.policy.authorized).toMatchObject([{ stream: false }]);
  const [, ...looks] = h.upstream.received;
  expect(looks.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'GET /v1/responses/resp_1',
    'GET /v1/responses/resp_1',
  ]);
});

test.each([
  ['cancelled', { usage: USAGE }, { outcome: 'CLIENT_CLOSED', costNanoUsd: COST }],
  ['incomplete', { usage: USAGE }, { outcome: 'COMPLETED', costNanoUsd: COST }],
  ['failed', { error: { code: 'server_error' } }, { outcome: 'FAILED', costNanoUsd: '0' }],
])('a response that ends as %s is booked', async (status, over, booked) => {
  goThrough(response(status, over));
  await (await create()).text();
  expect(await h.settled()).toMatchObject({ cancelled: false, ...booked });
});

test('a cancelled response without usage is charged for its input and the output so far', async () => {
  const text = 'word '.repeat(1_000);
  const output = [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }];
  goThrough(response('cancelled', { output, service_tier: 'priority' }));
  await (await create()).text();
  const settle = await h.settled();
  expect(settle).toMatchObject({
    outcome: 'CLIENT_CLOSED',
    usageQuality: 'ESTIMATED',
    serviceTier: 'priority',
  });
  expect(Number(settle.usage?.output)).toBeGreaterThan(900);
  expect(Number(settle.costNanoUsd)).toBeGreaterThan(900 * 2_000);
});

test('a response that the provider no longer has is left to its lease, which charges the held amount', async () => {
  goThrough(404);
  await (await create()).text();
  await until(() => h.log.some((line) => line.includes('charged as held')), 'the end of waiting');
  expect(h.policy.settled).toHaveLength(0);
  h.policy.holds.clear();
});

test('a failed poll is repeated', async () => {
  let looks = 0;
  h.upstream.script = (res, { method }) => {
    if (method === 'POST') return answerJson(res, response('queued'));
    looks += 1;
    if (looks === 1) return void res.destroy();
    if (looks === 2) return void res.writeHead(503).end();
    if (looks === 3) return void res.end('this is not JSON');
    return answerJson(res, response('completed', { usage: USAGE }));
  };
  await (await create()).text();
  expect(await h.settled()).toMatchObject({ costNanoUsd: COST });
});

test('a polled answer that is nested too deep is polled again', async () => {
  let polls = 0;
  h.upstream.script = (res, { method }) => {
    if (method === 'POST') return answerJson(res, response('queued'));
    polls += 1;
    if (polls > 1) return answerJson(res, response('completed', { usage: USAGE }));
    const levels = 20_000;
    res.writeHead(200, { 'content-type': 'application/json' });
    res.end(`{"status":"cancelled","output":${'['.repeat(levels)}${']'.repeat(levels)}}`);
  };
  await (await create()).text();
  expect(await h.settled()).toMatchObject({ costNanoUsd: COST });
  expect(polls).toBe(2);
});

const created = `event: response.created\ndata: ${JSON.stringify({
  type: 'response.created',
  response: response('in_progress'),
  sequence_number: 0,
})}\n\n`;

test('policy learns which conversation it belongs to, in case another edge settles it', async () => {
  goThrough(response('completed', { usage: USAGE }));
  h.policy.decide = () => ({ allow: { ...allow().allow, readTokens: 500, addedTokens: 7 } });
  await (await create({ conversation: 'conv_1' })).text();
  const settle = await h.settled();
  const { addedTokens } = settle;
  expect(addedTokens).toBeGreaterThan(0);
  const turn = { conversationId: 'conv_1', addedTokens, readTokens: 500, assumedTokens: 7 };
  expect(settle).toMatchObject(turn);
  expect(h.policy.extended).toMatchObject([{ responseId: 'resp_1', ...turn }]);
});

test('a stream whose client disconnects continues, and is charged in full', async () => {
  h.upstream.script = (res, { method }) => {
    if (method === 'GET') return answerJson(res, response('completed', { usage: USAGE }));
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.write(created);
  };
  const leaving = new AbortController();
  const answer = await create({ stream: true }, { signal: leaving.signal });
  const reader = answer.body?.getReader();
  await reader?.read();
  expect(h.policy.extended).toMatchObject([{ responseId: 'resp_1' }]);
  leaving.abort();
  expect(await h.settled()).toMatchObject({ outcome: 'COMPLETED', costNanoUsd: COST });
});

test('a complete stream is booked without polling', async () => {
  h.upstream.script = (res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    const last = {
      type: 'response.completed',
      response: response('completed', { usage: USAGE }),
      sequence_number: 1,
    };
    res.end(`${created}event: ${last.type}\ndata: ${JSON.stringify(last)}\n\n`);
  };
  await (await create({ stream: true })).text();
  expect(await h.settled()).toMatchObject({ outcome: 'COMPLETED', costNanoUsd: COST });
  expect(h.upstream.received).toHaveLength(1);
});

test('a client that disconnects before it has the id ends neither the work nor its charge', async () => {
  let answerNow = (): void => undefined;
  h.upstream.script = (res, { method }) => {
    if (method === 'GET') return answerJson(res, response('completed', { usage: USAGE }));
    answerNow = () => answerJson(res, response('queued'));
  };
  const leaving = new AbortController();
  const asked = create({}, { signal: leaving.signal }).catch(() => undefined);
  await until(() => h.upstream.received.length === 1, 'the request');
  leaving.abort();
  await asked;
  const lines = h.log.length;
  answerNow();
  expect(await h.settled()).toMatchObject({ costNanoUsd: COST });
  expect(h.upstream.received[0]?.aborted).toBe(false);
  expect(h.log.length).toBeGreaterThanOrEqual(lines);
});

test('an edge that stops settles nothing: the hold’s lease expires and charges it', async () => {
  const other = await h.start();
  goThrough(response('in_progress'));
  const answer = await fetch(`${other.url}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: MODEL, input: 'Hi', background: true }),
  });
  await answer.text();
  await other.stop();
  expect(h.policy.settled).toHaveLength(0);
  expect(h.policy.heldNow()).toBe(1);
  h.policy.holds.clear();
});

test.each(['GET /v1/responses/resp_1', 'POST /v1/responses/resp_1/cancel'])(
  '%s with a final state settles the request of a stopped edge',
  async (line) => {
    const [method = '', path = ''] = line.split(' ');
    const requestId = '01990000-0000-7000-8000-00000000000a';
    const { price } = candidate();
    const turn = { conversationId: 'conv_1', addedTokens: 30, readTokens: 500, assumedTokens: 20 };
    const decision = allow();
    h.policy.decide = () => ({
      allow: {
        ...decision.allow,
        pending: {
          requestId,
          holdToken: Buffer.from('theirs'),
          modelId: 'model-1',
          providerId: 'provider-1',
          ...(price ? { price } : {}),
          inputTokensEstimate: 10,
          ...turn,
          earlierNanoUsd: '500',
        },
      },
    });
    h.upstream.script = (res) => answerJson(res, response('in_progress'));
    await (await h.send(path, {}, {}, method)).text();
    h.upstream.script = (res) => answerJson(res, response('completed', { usage: USAGE }));
    await (await h.send(path, {}, {}, method)).text();
    const theirs = () => h.policy.settled.filter((settle) => settle.requestId === requestId);
    await until(() => h.policy.settled.length === 3, 'three settles');
    expect(theirs()).toMatchObject([
      {
        outcome: 'COMPLETED',
        // With what its earlier attempts cost.
        costNanoUsd: String(Number(COST) + 500),
        usage: { input: 1_000, output: 500 },
        priceId: 'price-1',
        responseId: 'resp_1',
        holdToken: Buffer.from('theirs'),
        ...turn,
      },
    ]);
    const reads = h.policy.settled.filter((settle) => settle.requestId !== requestId);
    expect(reads).toMatchObject([{ costNanoUsd: '0' }, { costNanoUsd: '0' }]);
    h.policy.holds.clear();
  },
);
