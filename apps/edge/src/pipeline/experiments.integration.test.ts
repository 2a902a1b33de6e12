// What clients and records are told of experiments, and what policy is told of conversations.

import { startSimulator, type Simulator } from '@tollgate/simulator';

import { connection } from '../test-support/fake-catalog';
import { allow, candidate, startHarness, type Harness } from '../test-support/harness';

let simulator: Simulator;
let h: Harness;
beforeAll(async () => {
  simulator = await startSimulator();
  h = await startHarness();
  const material = { providerId: 'sim', baseUrl: `${simulator.url}/v1` };
  h.catalog.connections.set('sim:1', connection(material));
});
beforeEach(() => h.reset());
afterAll(async () => {
  await h.stop();
  await simulator.stop();
});

const EXPERIMENT_ID = '0190a1b2-0000-7000-8000-000000000001';
const experiment = { experimentId: EXPERIMENT_ID, experiment: 'trial', arm: 'candidate' };

function assign(given: typeof experiment | null): void {
  const reply = allow([
    candidate({ providerId: 'sim', modelName: 'small', upstreamModel: 'sim-chat' }),
  ]);
  h.policy.decide = () => ({ allow: { ...reply.allow, experiment: given } });
}

const chat = (messages: object[], more: object = {}) =>
  h.post('/v1/chat/completions', { model: 'small', messages, ...more });
const hi = { role: 'user', content: 'Hi' };

test.each([false, true])(
  'the arm is in a header and in the record (stream: %s)',
  async (stream) => {
    assign(experiment);
    const response = await chat([hi], { stream });
    expect(response.headers.get('x-tollgate-experiment')).toBe('trial/candidate');
    await response.text();
    const { experimentArm, experimentId } = await h.settled();
    expect({ experimentArm, experimentId }).toEqual({
      experimentArm: 'candidate',
      experimentId: EXPERIMENT_ID,
    });
  },
);

test('a request that takes part in none has no header and no arm', async () => {
  assign(null);
  const response = await chat([hi]);
  expect(response.headers.get('x-tollgate-experiment')).toBeNull();
  await response.text();
  const { experimentArm, experimentId } = await h.settled();
  expect({ experimentArm, experimentId }).toEqual({ experimentArm: '', experimentId: '' });
});

test('the record of a failed request has the arm', async () => {
  const gone = candidate({ providerId: 'nowhere', modelName: 'small' });
  const nowhere = { providerId: 'nowhere', baseUrl: 'http://127.0.0.1:1/v1' };
  h.catalog.connections.set('nowhere:1', connection(nowhere));
  h.policy.decide = () => ({ allow: { ...allow([gone]).allow, experiment } });
  const response = await chat([hi]);
  expect(response.status).toBe(502);
  await response.text();
  expect(await h.settled()).toMatchObject({ outcome: 'FAILED', experimentArm: 'candidate' });
});

test('short conversations have a name of their own, which all turns share', async () => {
  assign(null);
  const answer = { role: 'assistant', content: 'Hello.' };
  await (await chat([hi])).text();
  await (await chat([hi, answer, { role: 'user', content: 'And now?' }])).text();
  await (await chat([{ role: 'user', content: 'Bye' }])).text();
  const [first, second, other] = h.policy.authorized.slice(-3);
  expect(first?.affinity).toHaveLength(0);
  expect(first?.conversation).toHaveLength(8);
  expect(second?.conversation).toEqual(first?.conversation);
  expect(other?.conversation).not.toEqual(first?.conversation);
});

test('a conversation with affinity is named once', async () => {
  assign(null);
  await (await chat([hi], { prompt_cache_key: 'thread 7' })).text();
  const asked = h.policy.authorized.at(-1);
  expect([asked?.affinity.length, asked?.conversation.length]).toEqual([8, 0]);
});
