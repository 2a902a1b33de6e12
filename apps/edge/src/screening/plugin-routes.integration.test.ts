// Plugins that choose another model: what is held, sent, recorded and answered.

import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { AuthorizeReply, AuthorizeRequest__Output } from '@tollgate/contracts/node';

import {
  answerJson,
  completion,
  openSse,
  streamed,
  type Received,
} from '../test-support/fake-upstream';
import {
  allow,
  candidate,
  deny,
  errorOf,
  MODEL,
  startHarness,
  until,
  type Harness,
} from '../test-support/harness';
import { say as sayTo, sentTo, useService } from './test-support/asking';
import {
  json,
  serviceAt,
  startFakeGrpcService,
  startFakeService,
  type FakeService,
} from './test-support/fake-service';
import { ruleOf } from './test-support/rules';

let h: Harness;
let service: FakeService;
useService((parts) => {
  ({ h, service } = parts);
});

const OTHER = 'small-model';
const ROUTER = {
  id: 'router',
  kind: 'PLUGIN',
  service: 'checker',
  timeoutMs: 10_000,
  action: 'BLOCK',
  where: ['INPUT'],
  mayRouteTo: [OTHER, 'large-model'],
};
const MASKING = {
  id: 'masking',
  kind: 'KEYWORDS',
  keywords: ['secret'],
  action: 'MASK',
  where: ['INPUT'],
};
const say = (content: string, over?: object) => sayTo(h, content, over);
type Rules = readonly Record<string, unknown>[];

function policyWith(rules: Rules, identifier: string, services = [serviceAt(service.url)]) {
  const policyId = randomUUID();
  h.catalog.screeningPolicies.set(`${policyId}:1`, {
    policyId,
    version: 1,
    organisationId: 'org-1',
    identifier,
    rulesJson: JSON.stringify(rules.map(ruleOf)),
    services,
    serviceKeyIds: [],
  });
  return { policyId, version: 1 };
}

/** Policies of every request, and those of the other model. */
function screens(
  rules: Rules,
  ofOther: Rules = [],
  given: Partial<ReturnType<typeof serviceAt>> = {},
) {
  const services = [{ ...serviceAt(service.url), ...given }];
  const house = policyWith(rules, 'house', services);
  const other = ofOther.length > 0 ? [policyWith(ofOther, 'other', services)] : [];
  h.policy.decide = ({ model }: AuthorizeRequest__Output): AuthorizeReply => {
    const routed = model === OTHER;
    const { allow: decision } = allow([
      candidate(routed ? { modelId: 'model-2', modelName: OTHER, upstreamModel: 'up-2' } : {}),
    ]);
    return { allow: { ...decision, screening: [house, ...(routed ? other : [])] } };
  };
}

const choose = (model: string, over: object = {}) => {
  service.answer = (_, res) => json(res, { verdict: 'PASS', model, ...over });
};

/** The settle that has a record. */
async function recorded() {
  await until(() => h.policy.settled.some(({ cancelled }) => !cancelled), 'a settle');
  return h.policy.settled.filter(({ cancelled }) => !cancelled);
}

test('the hold is taken again for the model that a plugin chose, under another id', async () => {
  screens([ROUTER]);
  choose(OTHER);
  const reply = await say('hi');
  expect(reply.status).toBe(200);
  expect(service.asked[0]?.body).toMatchObject({ model: MODEL, routeTo: [OTHER, 'large-model'] });
  expect(service.asked).toHaveLength(1);
  expect(h.upstream.received.map(({ body }) => body['model'])).toEqual(['up-2']);
  const [first, second] = h.policy.authorized;
  expect([first?.model, second?.model]).toEqual([MODEL, OTHER]);
  expect(second?.requestId).not.toBe(first?.requestId);
  expect(reply.headers.get('x-tollgate-request-id')).toBe(second?.requestId);
  expect(reply.headers.get('x-tollgate-model')).toBe(OTHER);
  const evidence = /^house\/router;v=1;in=input;action=block;model="small-model";ms=\d+$/;
  expect(reply.headers.get('x-tollgate-screening')).toMatch(evidence);
  expect(await recorded()).toEqual([
    expect.objectContaining({
      requestId: second?.requestId,
      modelId: 'model-2',
      screening: expect.stringMatching(evidence),
    }),
  ]);
  expect(h.policy.settled[0]).toMatchObject({ requestId: first?.requestId, cancelled: true });
  expect(h.policy.heldNow()).toBe(0);
});

test.each([
  ['passes', []],
  ['is masked for the other model', [MASKING]],
])(
  'what the first decision added to a conversation is taken back: the text %s',
  async (_, rules) => {
    screens([ROUTER], rules);
    choose(OTHER);
    const { decide } = h.policy;
    h.policy.decide = (request) => {
      const { allow: decision, ...rest } = decide(request);
      return { ...rest, ...(decision ? { allow: { ...decision, addedTokens: 7 } } : {}) };
    };
    const reply = await h.send('/v1/responses', {
      model: MODEL,
      input: 'a secret',
      conversation: 'conv_1',
    });
    await reply.text();
    await recorded();
    expect(JSON.stringify(h.upstream.received[0]?.body).includes('secret')).toBe(
      rules.length === 0,
    );
    // What the second one added is named by the settle.
    const turn = { conversationId: 'conv_1', assumedTokens: 7 };
    expect(h.policy.settled).toMatchObject([{ cancelled: true, ...turn }, turn]);
  },
);

test('the first hold is given back before the second is asked for', async () => {
  screens([ROUTER]);
  choose(OTHER);
  const { decide } = h.policy;
  h.policy.decide = (request) =>
    h.policy.heldNow() > 0 ? deny('rate_limit_exceeded') : decide(request);
  expect((await say('hi')).status).toBe(200);
});

const WITHOUT_OTHER = {
  id: 'models',
  kind: 'MODELS',
  mode: 'DENY',
  models: ['small-*'],
  action: 'BLOCK',
  where: ['INPUT'],
};

test.each([
  ['of a policy that judged the request', [ROUTER, WITHOUT_OTHER], [], 'house/models'],
  ['of a policy of the chosen model', [ROUTER], [WITHOUT_OTHER], 'other/models'],
])('a rule about models %s refuses the chosen one', async (_, rules, ofOther, named) => {
  screens(rules, ofOther);
  choose(OTHER);
  const reply = await say('hi');
  expect(reply.status).toBe(403);
  expect(await errorOf(reply)).toMatchObject({ code: 'content_blocked', param: 'model' });
  expect(h.upstream.received).toEqual([]);
  const [settle] = await recorded();
  expect(settle).toMatchObject({ errorCode: 'content_blocked' });
  expect(settle?.screening).toContain(`${named};v=1;in=input;action=block`);
  expect(h.policy.heldNow()).toBe(0);
});

test('parameters are judged once', async () => {
  const parameters = [{ name: 'temperature', presence: 'FORBIDDEN' }];
  const warm = { id: 'warm', kind: 'PARAMETERS', parameters, action: 'OBSERVE', where: ['INPUT'] };
  screens([ROUTER, warm]);
  choose(OTHER);
  expect((await say('hi', { temperature: 1 })).status).toBe(200);
  const [settle] = await recorded();
  expect(settle?.screening).toContain('house/warm;v=1;in=input;action=observe;hits=1');
});

const messages = [{ role: 'user', content: 'Hi' }];

/** In the format of the upstream's endpoint. */
function answerOf(res: ServerResponse, { body, path }: Received): void {
  const streams = body['stream'] === true;
  if (!path.endsWith('/responses')) {
    return streams ? streamed(res, ['ok']) : completion(res, { text: 'ok' });
  }
  const content = [{ type: 'output_text', text: 'ok', annotations: [] }];
  const output = [
    { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content },
  ];
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
  const response = {
    id: 'resp_1',
    object: 'response',
    model: 'up-2',
    status: 'completed',
    output,
    usage,
  };
  if (!streams) return answerJson(res, response);
  openSse(res);
  res.end(
    `event: response.completed\ndata: ${JSON.stringify({ type: 'response.completed', response })}\n\n`,
  );
}

const FORMATS: [name: string, path: string, body: object][] = [
  ['chat', '/v1/chat/completions', { messages }],
  ['chat stream', '/v1/chat/completions', { messages, stream: true }],
  ['unified', '/v1/llm/chat', { messages }],
  ['unified stream', '/v1/llm/chat', { messages, stream: true }],
  ['responses', '/v1/responses', { input: 'Hi' }],
  ['responses stream', '/v1/responses', { input: 'Hi', stream: true }],
  ['messages', '/v1/messages', { messages, max_tokens: 50 }],
  ['messages stream', '/v1/messages', { messages, max_tokens: 50, stream: true }],
  [
    'gemini',
    `/v1beta/models/${MODEL}:generateContent`,
    { contents: [{ parts: [{ text: 'Hi' }] }] },
  ],
  [
    'gemini stream',
    `/v1beta/models/${MODEL}:streamGenerateContent?alt=sse`,
    { contents: [{ parts: [{ text: 'Hi' }] }] },
  ],
];

test.each(FORMATS)(
  '%s: the other model answers by the name that the client sent',
  async (_, path, body) => {
    screens([ROUTER]);
    choose(OTHER);
    h.upstream.script = answerOf;
    const reply = await h.post(path, { model: MODEL, ...body });
    const text = await reply.text();
    expect([reply.status, text]).toEqual([200, expect.stringContaining('ok')]);
    expect(h.upstream.received.map((one) => one.body['model'])).toEqual(['up-2']);
    expect(text).not.toMatch(/up-2|small-model/);
    expect(text).toContain(MODEL);
    expect((await recorded())[0]).toMatchObject({ modelId: 'model-2' });
  },
);

test('a relayed operation goes to the other model as well', async () => {
  screens([ROUTER]);
  choose(OTHER);
  h.upstream.script = (res) => json(res, { data: [{ index: 0, embedding: [1] }], model: 'up-2' });
  expect((await h.post('/v1/embeddings', { model: MODEL, input: 'Hi' })).status).toBe(200);
  expect(h.upstream.received[0]?.body['model']).toBe('up-2');
});

test('a plugin over gRPC has the same fields', async () => {
  const fake = await startFakeGrpcService(({ model, routeTo }) => ({
    verdict: 'PASS',
    model: model === MODEL ? (routeTo[0] ?? '') : '',
  }));
  screens([ROUTER], [], serviceAt(fake.url, { type: 'TOLLGATE_GRPC' }));
  expect((await say('hi')).status).toBe(200);
  expect(h.upstream.received[0]?.body['model']).toBe('up-2');
  fake.stop();
});

test('the requested model is no change', async () => {
  screens([ROUTER]);
  choose(MODEL);
  expect((await say('hi')).status).toBe(200);
  expect(h.policy.authorized).toHaveLength(1);
  expect((await recorded())[0]?.screening).toBe('');
});

test('a model that the rule does not name is no verdict', async () => {
  screens([ROUTER]);
  choose('dear-model');
  expect((await say('hi')).status).toBe(503);
  screens([{ ...ROUTER, onError: 'PASS' }]);
  expect((await say('hi')).status).toBe(200);
  expect(h.policy.authorized.map(({ model }) => model)).toEqual([MODEL, MODEL]);
});

test.each([
  ['a rule without `mayRouteTo`', { mayRouteTo: [] }],
  ['a rule that observes', { action: 'OBSERVE' }],
  ['a rule about the answer', { where: ['OUTPUT'], mayRouteTo: [] }],
  ['a service that is no plugin', { kind: 'EXTERNAL', mayRouteTo: undefined }],
])('%s changes no model', async (name, over) => {
  const { mayRouteTo, ...rest } = { ...ROUTER, ...over };
  screens([{ ...rest, ...(mayRouteTo === undefined ? {} : { mayRouteTo }) }]);
  choose(OTHER);
  expect((await say('hi')).status).toBe(200);
  expect(h.policy.authorized.map(({ model }) => model)).toEqual([MODEL]);
  const observed = name.includes('observes') ? /action=observe;model="small-model"/ : /^$/;
  expect((await recorded())[0]?.screening).toMatch(observed);
});

test('of two plugins the first in the order of the rules chooses', async () => {
  screens([ROUTER, { ...ROUTER, id: 'second' }]);
  service.answer = ({ body }, res) => {
    const { id } = body['rule'] as { id: string };
    json(res, { verdict: 'PASS', model: id === 'router' ? OTHER : 'large-model' });
  };
  expect((await say('hi')).status).toBe(200);
  expect(h.policy.authorized.map(({ model }) => model)).toEqual([MODEL, OTHER]);
});

test.each([
  ['model_access_denied', 403],
  ['budget_exceeded', 402],
  ['rate_limit_exceeded', 429],
])('a refusal %s of the other model is the client’s', async (code, status) => {
  screens([ROUTER]);
  choose(OTHER);
  const { decide } = h.policy;
  h.policy.decide = (request) => (request.model === OTHER ? deny(code) : decide(request));
  const reply = await say('hi');
  expect(reply.status).toBe(status);
  expect(reply.headers.get('x-tollgate-screening')).toContain('model="small-model"');
  expect(await errorOf(reply)).toMatchObject({ code });
  expect(h.upstream.received).toHaveLength(0);
  await until(() => h.policy.heldNow() === 0, 'the hold to be given back');
  expect(h.policy.settled).toEqual([expect.objectContaining({ cancelled: true })]);
});

test('without an answer about the first hold nothing is sent', async () => {
  const impatient = await startHarness({ POLICY_DEADLINE_MS: 200 });
  const own = await startFakeService();
  const usual = { h, service };
  [h, service] = [impatient, own];
  try {
    screens([ROUTER]);
    choose(OTHER);
    h.policy.failing.add('settle');
    expect((await say('hi')).status).toBe(503);
    expect(h.upstream.received).toHaveLength(0);
    h.policy.failing.clear();
    await until(() => h.policy.heldNow() === 0, 'the hold to be given back later');
  } finally {
    ({ h, service } = usual);
    await impatient.stop();
    await own.stop();
  }
});

describe('policies of the chosen model', () => {
  const words = (action: string, keywords: string[], where = ['INPUT', 'OUTPUT']) => ({
    id: 'words',
    kind: 'KEYWORDS',
    keywords,
    action,
    where,
  });

  test('block its input', async () => {
    screens([ROUTER], [words('BLOCK', ['forbidden'])]);
    choose(OTHER);
    const reply = await say('forbidden words');
    expect(await errorOf(reply)).toMatchObject({
      code: 'content_blocked',
      details: { rule: 'other/words' },
    });
    expect(h.upstream.received).toHaveLength(0);
    const [settled] = await recorded();
    expect(settled).toMatchObject({ costNanoUsd: '0', errorCode: 'content_blocked' });
    expect(settled?.requestId).toBe(h.policy.authorized[1]?.requestId);
  });

  test('mask beside those that have judged before, and all read the answer', async () => {
    screens(
      [ROUTER, words('MASK', ['alpha'])],
      [words('MASK', ['beta'], ['INPUT']), { ...words('BLOCK', ['gamma'], ['OUTPUT']), id: 'out' }],
    );
    choose(OTHER);
    h.upstream.script = (res) => completion(res, { text: '<KEYWORD_1> and <KEYWORD_2>' });
    const reply = await say('alpha beta alpha');
    expect(sentTo(h)).toContain('<KEYWORD_1> <KEYWORD_2> <KEYWORD_1>');
    expect(await reply.text()).toContain('alpha and beta');
    expect((await recorded())[0]?.screening).toContain(
      'house/words;v=1;in=input;action=mask;hits=2',
    );
    h.upstream.script = (res) => completion(res, { text: 'gamma' });
    expect(await errorOf(await say('hi'))).toMatchObject({ details: { rule: 'other/out' } });
  });

  test('ask their own plugins, which choose no model, and the others not again', async () => {
    screens([ROUTER], [{ ...ROUTER, id: 'late', mayChange: ['seed'] }]);
    choose(OTHER);
    service.answer = ({ body }, res) => {
      const { id } = body['rule'] as { id: string };
      if (id === 'router') json(res, { verdict: 'PASS', model: OTHER });
      else json(res, { verdict: 'PASS', model: 'large-model', parameters: { seed: 7 } });
    };
    expect((await say('hi')).status).toBe(200);
    const asked = service.asked.map(({ body }) => [
      (body['rule'] as { id: string }).id,
      body['model'],
    ]);
    expect(asked).toEqual([
      ['router', MODEL],
      ['late', undefined],
    ]);
    expect(service.asked[1]?.body['requestId']).toBe(h.policy.authorized[1]?.requestId);
    expect(h.policy.authorized.map(({ model }) => model)).toEqual([MODEL, OTHER]);
    expect(h.upstream.received[0]?.body).toMatchObject({ model: 'up-2', seed: 7 });
  });

  test('wait for verdicts that were asked for beside the call', async () => {
    screens([ROUTER, { ...ROUTER, id: 'beside', mayRouteTo: [], wait: 'BESIDE' }]);
    service.answer = ({ body }, res) => {
      const { id } = body['rule'] as { id: string };
      if (id === 'router') json(res, { verdict: 'PASS', model: OTHER });
      else json(res, { verdict: 'BLOCK', message: 'No.' });
    };
    expect(await errorOf(await say('hi'))).toMatchObject({ code: 'plugin_blocked' });
  });
});
