// Requests that are repeated at the second model of an experiment, with the answer discarded.

import type { AuthorizeRequest__Output } from '@tollgate/contracts/node';

import { connection } from '../test-support/fake-catalog';
import { ORGANISATION } from '../test-support/fake-policy';
import {
  answerJson,
  completion,
  startFakeUpstream,
  type FakeUpstream,
} from '../test-support/fake-upstream';
import {
  allow,
  candidate,
  chat,
  deny,
  startHarness,
  until,
  type Harness,
} from '../test-support/harness';

const EXPERIMENT_ID = '0190a1b2-0000-7000-8000-000000000001';
const KEY_ID = '0190a1b2-0000-7000-8000-000000000002';

let h: Harness;
/** Of the shadow's model. */
let second: FakeUpstream;
beforeAll(async () => {
  second = await startFakeUpstream();
  h = await startHarness({ SHADOW_CALLS: 2 });
  h.catalog.connections.set('second:1', connection({ providerId: 'second', baseUrl: second.url }));
});
let asked: AuthorizeRequest__Output[];
beforeEach(async () => {
  await h.reset();
  asked = [];
  second.received.length = 0;
  second.script = (res) => completion(res, {});
  h.policy.decide = (request) => {
    asked.push(request);
    return request.shadowOf === '' ? ofClient() : ofShadow();
  };
});
afterAll(async () => {
  await h.stop();
  await second.stop();
});

const subject = {
  organisationId: ORGANISATION,
  apiKeyId: KEY_ID,
  apiKeyName: 'a key',
  apiKeyType: 'USER',
};
const shadowSubject = { ...subject, apiKeyId: EXPERIMENT_ID, apiKeyType: 'SHADOW' };

function ofClient(shadow: object = {}) {
  const told = {
    experimentId: EXPERIMENT_ID,
    modelId: 'model-2',
    leftOut: '',
    leftOutCode: '',
    ...shadow,
  };
  const experiment = { experimentId: EXPERIMENT_ID, experiment: 'trial', arm: 'control' };
  return { allow: { ...allow().allow, subject, experiment, shadow: told } };
}
const ofShadow = () => ({
  allow: {
    ...allow([
      candidate({
        modelId: 'model-2',
        modelName: 'second',
        providerId: 'second',
        upstreamModel: 'gpt-second',
      }),
    ]).allow,
    subject: shadowSubject,
  },
});

const post = async (body: object = chat(), headers: Record<string, string> = {}) => {
  const response = await h.post('/v1/chat/completions', body, headers);
  return { status: response.status, text: await response.text() };
};
const settles = async (count: number) => {
  await until(() => h.policy.settled.length >= count, `${String(count)} settles`);
  const all = h.policy.settled;
  return {
    client: all.filter(({ shadowOf }) => shadowOf === ''),
    shadows: all.filter(({ shadowOf }) => shadowOf !== ''),
  };
};
const metric = async (name: string, labels: string): Promise<number> => {
  const text = await (await h.ops('/metrics')).text();
  const line = text.split('\n').find((one) => one.startsWith(name) && one.includes(labels));
  return Number(line?.split(' ').at(-1) ?? 0);
};

test('the request goes to the second model as well, with its own hold and record', async () => {
  const headers = { 'x-request-id': 'mine', 'idempotency-key': 'once' };
  expect((await post(chat({ user: 'ann' }), headers)).status).toBe(200);
  const { client, shadows } = await settles(2);
  const [ofOwn] = client;
  expect(shadows).toMatchObject([
    {
      experimentId: EXPERIMENT_ID,
      experimentArm: 'shadow',
      shadowOf: ofOwn?.requestId,
      outcome: 'COMPLETED',
      modelId: 'model-2',
      endUser: '',
    },
  ]);
  expect(Number(shadows[0]?.costNanoUsd)).toBeGreaterThan(0);
  expect(ofOwn).toMatchObject({ experimentArm: 'control', shadowOf: '' });
  const [, question] = asked;
  expect(question).toMatchObject({
    model: '',
    shadowOf: ofOwn?.requestId,
    shadowExperimentId: EXPERIMENT_ID,
    claimed: null,
  });
  expect(question?.requestId).not.toBe(ofOwn?.requestId);
  const [sent] = second.received;
  expect(sent?.body).toMatchObject({
    model: 'gpt-second',
    messages: chat().messages,
  });
  expect(sent?.headers['idempotency-key']).toBeUndefined();
});

test('the client has its whole answer while the second model is silent', async () => {
  const held = Promise.withResolvers<void>();
  second.script = (res) => void held.promise.then(() => completion(res, {}));
  for (const _ of [1, 2]) expect((await post()).status).toBe(200);
  await until(() => second.received.length === 2, 'both shadows to be sent');
  // Both places are taken, so a third one is not sent, and policy learns why.
  expect((await post()).status).toBe(200);
  await until(() => h.policy.refused.length > 0, 'a report');
  expect(h.policy.refused).toMatchObject([
    { code: 'overloaded', shadowExperimentId: EXPERIMENT_ID },
  ]);
  expect(h.policy.settled.filter(({ shadowOf }) => shadowOf !== '')).toEqual([]);
  expect(await metric('tollgate_edge_shadows_skipped_total', 'busy')).toBe(1);
  held.resolve();
  expect((await settles(5)).shadows).toHaveLength(2);
  expect(await metric('tollgate_edge_shadows_running', '')).toBe(0);
});

test('a request whose own model fails has a shadow too', async () => {
  h.upstream.script = (res) => void res.writeHead(500).end('{}');
  expect((await post()).status).toBe(502);
  expect((await settles(2)).shadows).toMatchObject([{ outcome: 'COMPLETED' }]);
});

test.each<[string, string, object, () => ReturnType<typeof ofClient>]>([
  [
    'its model cannot answer for the key',
    'left_out',
    {},
    () => ofClient({ leftOut: 'region', leftOutCode: 'region_not_allowed' }),
  ],
  ['the provider stores the answer', 'stored', { store: true }, ofClient],
  [
    'it is too large',
    'too_large',
    { messages: [{ role: 'user', content: 'x'.repeat(300_000) }] },
    ofClient,
  ],
])('a request has no shadow if %s', async (_, reason, changes, decide) => {
  h.policy.decide = () => decide();
  const before = await metric('tollgate_edge_shadows_skipped_total', reason);
  expect((await post(chat(changes))).status).toBe(200);
  await h.settled();
  expect(await metric('tollgate_edge_shadows_skipped_total', reason)).toBe(before + 1);
  expect(second.received).toEqual([]);
  // What an administrator can mend is in the comparison.
  const told = [{ code: 'region_not_allowed', shadowExperimentId: EXPERIMENT_ID }];
  expect(h.policy.refused).toMatchObject(reason === 'left_out' ? told : []);
});

test('responses have a shadow only if nothing is stored', async () => {
  const response = {
    id: 'resp_1',
    object: 'response',
    status: 'completed',
    output: [],
    usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
  };
  h.upstream.script = (res) => answerJson(res, response);
  second.script = (res) => answerJson(res, response);
  const send = async (changes: object) => {
    const answer = await h.post('/v1/responses', { model: 'house-model', input: 'Hi', ...changes });
    await answer.text();
    return answer.status;
  };
  expect(await send({})).toBe(200);
  expect(await send({ store: false, previous_response_id: 'resp_1' })).toBe(200);
  expect(await send({ store: false })).toBe(200);
  expect((await settles(4)).shadows).toHaveLength(1);
  expect(second.received).toHaveLength(1);
});

test('a denied shadow costs nothing, and no client learns of it', async () => {
  h.policy.decide = (request) =>
    request.shadowOf === '' ? ofClient() : deny('budget_exceeded', { subject: shadowSubject });
  const before = await metric('tollgate_edge_shadows_total', 'denied');
  expect((await post()).status).toBe(200);
  await until(
    async () => (await metric('tollgate_edge_shadows_total', 'denied')) === before + 1,
    'the denial to be counted',
  );
  expect(second.received).toEqual([]);
  expect(h.policy.refused).toEqual([]);
});

test('a hold that is not on a budget of the shadow is given back', async () => {
  h.policy.decide = (request) => (request.shadowOf === '' ? ofClient() : allow());
  expect((await post()).status).toBe(200);
  await until(
    () => h.policy.settled.some(({ cancelled }) => cancelled),
    'the hold to be given back',
  );
  expect(second.received).toEqual([]);
  expect(h.policy.refused).toMatchObject([
    { code: 'internal_error', shadowExperimentId: EXPERIMENT_ID },
  ]);
});

test('what cannot be screened is not sent', async () => {
  const screening = [{ policyId: '0190a1b2-0000-7000-8000-000000000009', version: 1 }];
  h.policy.decide = (request) =>
    request.shadowOf === '' ? ofClient() : { allow: { ...ofShadow().allow, screening } };
  expect((await post()).status).toBe(200);
  await until(() => h.policy.refused.length > 0, 'a report');
  expect(h.policy.refused).toMatchObject([
    { code: 'dependency_unavailable', shadowExperimentId: EXPERIMENT_ID },
  ]);
  expect(second.received).toEqual([]);
  expect((await settles(2)).client).toMatchObject([{ outcome: 'COMPLETED' }, { cancelled: true }]);
});

test('the end of the process stops shadows, and they are settled', async () => {
  const other = await startHarness({ DRAIN_MS: 60_000 });
  try {
    other.catalog.connections.set(
      'second:1',
      connection({ providerId: 'second', baseUrl: second.url }),
    );
    other.policy.decide = (request) => (request.shadowOf === '' ? ofClient() : ofShadow());
    second.script = () => undefined;
    await (await other.post('/v1/chat/completions', chat())).text();
    await until(() => second.received.length === 1, 'the shadow to be sent');
    await other.edge.stop();
    const shadow = other.policy.settled.find(({ shadowOf }) => shadowOf !== '');
    expect(shadow).toMatchObject({ outcome: 'CLIENT_CLOSED', experimentArm: 'shadow' });
    expect(other.policy.heldNow()).toBe(0);
  } finally {
    await other.stop();
  }
});
