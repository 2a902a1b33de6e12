import { StoreUnavailableError, type Routed, type RouteItem } from '../store';
import { createTurns } from './turns';

const item = (changes: Partial<RouteItem> = {}): RouteItem => ({
  shard: 1,
  apiKeyId: 'key',
  policyId: 'policy',
  strict: false,
  rotates: true,
  stream: false,
  probeMs: 1,
  forgetMs: 1,
  candidates: ['a', 'b', 'c'].map((modelId, place) => ({ providerId: 'p', modelId, place })),
  ...changes,
});

test('without the store a process goes on with what it heard last, and turns of its own', async () => {
  let nowMs = 0;
  let answer: Routed | undefined = {
    nowMs: 0,
    turn: undefined,
    states: [
      { state: 'CLOSED', untilMs: 0, latencyUs: 70, latencies: 3 },
      { state: 'OPEN', untilMs: 50, latencyUs: undefined, latencies: 0 },
      { state: 'CLOSED', untilMs: 0, latencyUs: undefined, latencies: 0 },
    ],
  };
  const turns = createTurns({
    store: {
      route: () =>
        answer ? Promise.resolve(answer) : Promise.reject(new StoreUnavailableError('away')),
    },
    clock: { now: () => nowMs },
  });
  await turns.route(item());
  answer = undefined;
  const away = await turns.route(item());
  expect(away.states.map(({ state }) => state)).toEqual(['CLOSED', 'OPEN', 'CLOSED']);
  expect(away.states[0]?.latencyUs).toBe(70);
  expect(away.turn?.number).toBe(0);
  expect((await turns.route(item())).turn?.number).toBe(1);
  expect((await turns.route(item({ rotates: false }))).turn).toBeUndefined();
  nowMs = 50;
  const later = await turns.route(item());
  expect(later.states.map(({ state }) => state)).toEqual(['CLOSED', 'CLOSED', 'CLOSED']);
  // Another set of candidates has its own turns.
  expect(later.turn?.number).toBe(0);
});
