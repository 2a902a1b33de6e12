import { DeadlineError, withDeadline } from './deadline';
import { healthChecks } from './health';

const never = new Promise<void>(() => {});

test('work that answers in time keeps its answer or its failure', async () => {
  await expect(withDeadline(Promise.resolve(1), 60_000, 'the store')).resolves.toBe(1);
  const failure = new Error('away');
  await expect(withDeadline(Promise.reject(failure), 60_000, 'the store')).rejects.toBe(failure);
});

test('work that does not answer fails with its name and the deadline', async () => {
  const late = withDeadline(never, 5, 'the store');
  await expect(late).rejects.toThrow(DeadlineError);
  await expect(late).rejects.toThrow('the store did not answer within 5 ms');
});

test('time for which the process itself is held up is given back', async () => {
  const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
  const answer = async (): Promise<string> => {
    // Three turns after the deadline that passes while nothing is read.
    for (let n = 0; n < 3; n += 1) await turn();
    return 'there';
  };
  const work = withDeadline(answer(), 200, 'the store');
  const untilMs = performance.now() + 300;
  while (performance.now() < untilMs);
  await expect(work).resolves.toBe('there');
});

test('health is well when every check passes', async () => {
  const report = await healthChecks({ redis: async () => {} }, { timeoutMs: 60_000 });
  expect(report).toEqual({
    ok: true,
    checks: { redis: { ok: true, latencyMs: expect.any(Number) } },
  });
});

test('a failing, a throwing and a hanging check are each told, and the rest still pass', async () => {
  const report = await healthChecks(
    {
      fine: async () => {},
      failing: () => Promise.reject(new Error('connection refused')),
      throwing: () => {
        throw new Error('at once');
      },
      hanging: () => never,
    },
    { timeoutMs: 20 },
  );
  expect(report.ok).toBe(false);
  const seen = Object.entries(report.checks).map(([name, { ok, message }]) => [name, ok, message]);
  expect(seen).toEqual([
    ['fine', true, undefined],
    ['failing', false, 'connection refused'],
    ['throwing', false, 'at once'],
    ['hanging', false, 'hanging did not answer within 20 ms'],
  ]);
});
