import { healthOf } from './health';

const record = (part: Partial<Parameters<typeof healthOf>[0][number]> = {}) => ({
  method: 'tools/call',
  outcome: 'COMPLETED' as const,
  errorCode: null,
  jsonRpcErrorCode: null,
  isError: false,
  latencyMs: 10,
  calledAt: '2026-11-26T08:00:00.000Z',
  ...part,
});

test('calls and failures are counted, and an error of a tool is not a failure', () => {
  const health = healthOf([
    record(),
    record({ isError: true }),
    record({ outcome: 'FAILED', errorCode: 'upstream_error' }),
    record({ jsonRpcErrorCode: -32602 }),
    record({ outcome: 'CLIENT_CLOSED' }),
    record({ method: 'tools/list', calledAt: '2026-11-25T08:00:00.000Z' }),
  ]);
  expect(health).toMatchObject({ requests: 6, calls: 5, errors: 2, toolErrors: 1 });
  expect(health.oldest).toBe('2026-11-25T08:00:00.000Z');
});

test('the 95th percentile is that of the calls', () => {
  const calls = Array.from({ length: 20 }, (_, index) => record({ latencyMs: index + 1 }));
  const lists = [record({ method: 'tools/list', latencyMs: 9_000 })];
  expect(healthOf([...calls, ...lists]).p95Ms).toBe(19);
  expect(healthOf(lists).p95Ms).toBeUndefined();
  expect(healthOf([record({ latencyMs: 7 })]).p95Ms).toBe(7);
});
