import { chat, errorOf, startHarness, until, type Harness } from '../test-support/harness';

// More requests than policy can decide and the queue can hold.

let h: Harness;
beforeAll(async () => {
  h = await startHarness({
    POLICY_SESSIONS: 1,
    POLICY_WINDOW: 4,
    POLICY_QUEUE: 2,
    POLICY_QUEUE_MS: 600_000,
    METRICS_ENABLED: true,
  });
});
afterAll(() => h.stop());

const metric = async (name: string): Promise<number> => {
  const text = await (await h.get('/metrics')).text();
  const line = text.split('\n').find((row) => row.startsWith(name));
  return Number(line?.split(' ').at(-1) ?? Number.NaN);
};

test('are refused at once with retry-after, while waiting ones are served', async () => {
  h.policy.frozen = true;
  const deciding = [0, 1].map(() => h.post('/v1/chat/completions', chat()));
  await until(() => h.policy.frames.reduce((sum, n) => sum + n, 0) === 2, 'two to be asked about');
  const waiting = [h.post('/v1/chat/completions', chat())];
  // A key may take half of the queue, so the second place is for other keys.
  const other = { authorization: 'Bearer tg_another-key-9876543210' };
  waiting.push(h.post('/v1/chat/completions', chat(), other));
  while ((await metric('tollgate_edge_policy_queue_length')) !== 2);

  for (const headers of [{}, other]) {
    const refused = await h.post('/v1/chat/completions', chat(), headers);
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(refused.headers.get('x-should-retry')).toBeNull();
    expect(await errorOf(refused)).toMatchObject({ code: 'overloaded' });
  }
  expect(await metric('tollgate_edge_policy_queue_refusals_total')).toBe(2);
  expect((await h.get('/v1/health')).status).toBe(200);
  const ready = (await (await h.get('/v1/healthz')).json()) as { checks: { admission: object } };
  expect(ready.checks.admission).toEqual({ ok: true });

  h.policy.frozen = false;
  h.policy.thaw();
  for (const answer of await Promise.all([...deciding, ...waiting])) {
    expect(answer.status).toBe(200);
    await answer.text();
  }
  expect(await metric('tollgate_edge_policy_queue_seconds_count')).toBe(2);
});

test('are not decided if their clients have disconnected', async () => {
  h.policy.frozen = true;
  h.policy.authorized.length = 0;
  const deciding = [0, 1].map(() => h.post('/v1/chat/completions', chat()));
  while ((await metric('tollgate_edge_policy_in_flight')) !== 2);
  const leaving = new AbortController();
  const left = fetch(`${h.edge.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer tg_test-key-0123456789', 'content-type': 'application/json' },
    body: JSON.stringify(chat()),
    signal: leaving.signal,
  });
  while ((await metric('tollgate_edge_policy_queue_length')) !== 1);
  leaving.abort();
  await expect(left).rejects.toThrow();
  // The edge has noticed once it answers a later request on another connection.
  await h.get('/v1/health');
  h.policy.frozen = false;
  h.policy.thaw();
  for (const answer of await Promise.all(deciding)) await answer.text();
  await until(() => h.log.some((line) => line.includes('"status":499')), 'the end of the one left');
  expect(h.policy.authorized).toHaveLength(2);
});
