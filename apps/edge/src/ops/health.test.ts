import {
  createEdgeHealth,
  createPolicyHealth,
  readiness,
  serving,
  withoutMessages,
  type PolicyHealth,
} from './health';

const OPEN = {
  sessionsOpen: 2,
  holdsInFlight: 0,
  settlesQueued: 0,
  settlesKept: 0,
  settlesFull: false,
  inFlight: 0,
  inFlightLimit: 64,
  waiting: 0,
};
const redis = (ok: boolean) => ({
  name: 'redis',
  ok,
  message: ok ? '' : 'connect ECONNREFUSED 10.0.0.7:6379',
});
const reply = (ok: boolean) => ({ serving: ok, dependencies: [redis(ok)] });
const health = (...replies: PolicyHealth['replies']): PolicyHealth => ({
  replies,
  failure: '14 UNAVAILABLE: 10.0.0.8:50051',
});

test('an edge does not serve if no policy can decide, even with open sessions', () => {
  expect(serving(health(reply(false)), OPEN).status).toBe('unavailable');
  expect(serving(health(), OPEN).status).toBe('unavailable');
});

test('one policy that decides is enough', () => {
  expect(serving(health(reply(false), reply(true)), OPEN).status).toBe('ok');
  expect(readiness(health(reply(false), reply(true)), OPEN).checks['cache']).toEqual({ ok: true });
});

test('an edge does not serve without a session, or with too many unbooked settles', () => {
  expect(serving(health(reply(true)), { ...OPEN, sessionsOpen: 0 }).status).toBe('unavailable');
  expect(serving(health(reply(true)), { ...OPEN, settlesFull: true }).status).toBe('unavailable');
});

test('an unavailable database is reported, and the edge still serves', () => {
  const down = { name: 'postgres', ok: false, message: 'does not answer' };
  const seen = health({ serving: true, dependencies: [redis(true), down] });
  expect(readiness(seen, OPEN).status).toBe('unavailable');
  expect(serving(seen, OPEN).status).toBe('ok');
});

test('an edge that shuts down says so in both scopes, however well its dependencies are', async () => {
  let stopping = false;
  const policy = async () => health(reply(true));
  const edge = createEdgeHealth({ policy, status: () => OPEN, stopping: () => stopping });
  for (const ask of [edge.all, edge.serving]) {
    stopping = false;
    expect(await ask()).toMatchObject({ ok: true, body: { status: 'ok' } });
    stopping = true;
    const { body, ok } = await ask();
    expect(ok).toBe(false);
    expect(withoutMessages(body)).toMatchObject({
      status: 'unavailable',
      checks: { policy: { ok: true }, draining: { ok: false } },
    });
  }
});

test('the public scope has no messages', () => {
  for (const seen of [health(reply(false)), health()]) {
    const whole = readiness(seen, OPEN);
    expect(JSON.stringify(whole)).toContain('10.0.0.');
    const open = withoutMessages(whole);
    expect(JSON.stringify(open)).not.toMatch(/10\.0\.0|message/);
    expect(Object.keys(open.checks)).toEqual(Object.keys(whole.checks));
  }
});

test('health checks reach policy at most once a second', async () => {
  let nowMs = 0;
  let asked = 0;
  const ask = createPolicyHealth({
    ask: async () => {
      asked += 1;
      return [{ status: 'fulfilled', value: reply(true) }];
    },
    nowMs: () => nowMs,
  });
  await Promise.all([ask(), ask()]);
  nowMs = 999;
  await ask();
  expect(asked).toBe(1);
  nowMs = 1_000;
  expect((await ask()).replies).toHaveLength(1);
  expect(asked).toBe(2);
});
