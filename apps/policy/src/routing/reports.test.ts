import { type AttemptReport__Output } from '@tollgate/contracts/node';
import { createLogger } from '@tollgate/kit';

import { StoreUnavailableError, type Attempted, type AttemptedItem } from '../store';
import { createChanges } from './changes';
import { createReports, verdictOf } from './reports';

const log = createLogger({ service: 'test', level: 'error', write: () => {} });
const FIGURES = {
  windowMs: 1,
  leastFailures: 1,
  failurePercent: 1,
  openMs: 1,
  forgetMs: 10,
  cooldownMaxMs: 1,
};

test.each([
  ['OK', 0, 'SUCCESS'],
  ['TIMEOUT', 0, 'FAILURE'],
  ['NETWORK', 0, 'FAILURE'],
  ['EARLY_END', 0, 'FAILURE'],
  ['INVALID_RESPONSE', 0, 'FAILURE'],
  ['HTTP_500', 0, 'FAILURE'],
  ['HTTP_503', 1_000, 'FAILURE'],
  ['HTTP_401', 0, 'FAILURE'],
  ['HTTP_402', 0, 'FAILURE'],
  ['HTTP_403', 0, 'NEITHER'],
  ['HTTP_408', 0, 'FAILURE'],
  ['HTTP_429', 0, 'FAILURE'],
  ['HTTP_429', 1_000, 'NEITHER'],
  // Errors of the request and aborts of the client open no breaker.
  ['HTTP_400', 0, 'SUCCESS'],
  ['HTTP_404', 0, 'SUCCESS'],
  ['HTTP_413', 0, 'SUCCESS'],
  ['HTTP_422', 0, 'SUCCESS'],
  // Error events within a stream.
  ['UPSTREAM_ERROR', 0, 'FAILURE'],
  ['UPSTREAM_LIMITED', 0, 'FAILURE'],
  ['UPSTREAM_LIMITED', 1_000, 'NEITHER'],
  ['UPSTREAM_REJECTED', 0, 'SUCCESS'],
  // An answer that was arriving and exceeds the operator's limit.
  ['TOO_LARGE', 0, 'NEITHER'],
  ['ABORTED', 0, 'NEITHER'],
  ['something new', 0, 'NEITHER'],
])('%s (wait %d) is %s', (outcome, retryAfterMs, verdict) => {
  expect(verdictOf({ outcome, retryAfterMs })).toBe(verdict);
});

function bench(answer: Partial<Attempted> | Error = {}) {
  const items: AttemptedItem[] = [];
  const noted: unknown[] = [];
  const reports = createReports({
    store: {
      attempted: (item) => {
        items.push(item);
        if (answer instanceof Error) return Promise.reject(answer);
        return Promise.resolve({
          changed: false,
          state: 'CLOSED',
          nowMs: 5,
          untilMs: 0,
          cooldownUntilMs: 0,
          attempts: 1,
          failures: 0,
          ...answer,
        });
      },
    },
    figures: FIGURES,
    movedMs: 60_000,
    changes: { note: (change) => noted.push(change) },
    onAttempt: () => {},
    onChange: () => {},
    log,
  });
  const report = (changes: Partial<AttemptReport__Output> = {}): AttemptReport__Output => ({
    organisationId: 'org-1',
    modelId: 'm1',
    providerId: 'p1',
    outcome: 'OK',
    latencyMs: 30,
    firstTokenMs: 7,
    stream: false,
    retryAfterMs: 0,
    probe: false,
    affinity: Buffer.alloc(0),
    apiKeyId: '',
    policyId: '',
    ...changes,
  });
  return { reports, items, noted, report };
}

test('an answer in place of the first candidate moves its conversation, within bounds', async () => {
  const { reports, items, report } = bench();
  const id = Buffer.alloc(8, 1);
  reports.take(report());
  reports.take(report({ affinity: id, apiKeyId: 'k1', policyId: 'r1' }));
  reports.take(report({ outcome: 'HTTP_400', affinity: id, apiKeyId: 'k1', policyId: 'r1' }));
  reports.take(report({ affinity: Buffer.alloc(9), apiKeyId: 'k1', policyId: 'r1' }));
  reports.take(report({ affinity: id, apiKeyId: 'k1 {s2}', policyId: 'r1' }));
  reports.take(report({ affinity: id }));
  await reports.idle();
  const moves = { id, keptMs: 60_000, most: 10_000, apiKeyId: 'k1', policyId: 'r1' };
  expect(items.map((item) => item.moves)).toEqual([undefined, moves, { ...moves, keptMs: 0 }]);
});

test('a stream is as quick as its first token, anything else as its answer', async () => {
  const { reports, items, report } = bench();
  reports.take(report());
  reports.take(report({ stream: true }));
  reports.take(report({ stream: true, firstTokenMs: 0 }));
  reports.take(report({ outcome: 'HTTP_400' }));
  await reports.idle();
  expect(items.map(({ latencyUs }) => latencyUs)).toEqual([30_000, 7_000, undefined, undefined]);
});

test('only who limits or is overloaded is left alone for as long as it asks', async () => {
  const { reports, items, report } = bench();
  for (const outcome of ['HTTP_429', 'UPSTREAM_LIMITED', 'HTTP_503', 'HTTP_500', 'OK']) {
    reports.take(report({ outcome, retryAfterMs: 900 }));
  }
  await reports.idle();
  expect(items.map(({ waitMs }) => waitMs)).toEqual([900, 900, 900, 0, 0]);
});

test('a stream that fails after its first output is one attempt', async () => {
  const { reports, items, report } = bench();
  reports.take(report({ stream: true }));
  reports.take(report({ stream: true, outcome: 'EARLY_END' }));
  reports.take(report({ stream: true, outcome: 'EARLY_END', firstTokenMs: 0 }));
  await reports.idle();
  expect(items.map(({ counted }) => counted)).toEqual([false, true, false]);
});

test('a change is told on, with when it ends by itself', async () => {
  const open = { changed: true, state: 'OPEN', untilMs: 50, attempts: 4, failures: 3 } as const;
  const { reports, noted, report } = bench(open);
  reports.take(report({ outcome: 'TIMEOUT' }));
  await reports.idle();
  expect(noted).toEqual([
    {
      organisationId: 'org-1',
      providerId: 'p1',
      modelId: 'm1',
      state: 'OPEN',
      reason: 'TIMEOUT',
      atMs: 5,
      untilMs: 50,
      expiresAtMs: 60,
      cooldownUntilMs: 0,
      attempts: 4,
      failures: 3,
    },
  ]);
});

test('what is not sound is not taken, and a store that is away loses a report only', async () => {
  const { reports, items, report } = bench(new StoreUnavailableError('away'));
  reports.take(report({ modelId: '' }));
  reports.take(report({ providerId: 'a} b' }));
  reports.take(report({ latencyMs: -1 }));
  reports.take(report());
  await reports.idle();
  expect(items).toHaveLength(1);
});

test('of an upstream the latest change waits, and one that could not be told is told again', async () => {
  const sent: unknown[] = [];
  let away = true;
  const changes = createChanges({
    report: (request) => {
      if (away) return Promise.reject(new Error('away'));
      sent.push(request.upstreams?.map(({ atMs }) => atMs));
      return Promise.resolve({});
    },
    log,
  });
  const upstream = { providerId: 'p1', modelId: 'm1' };
  changes.note({ ...upstream, atMs: 2 });
  changes.note({ ...upstream, atMs: 1 });
  await changes.flush();
  changes.note({ ...upstream, atMs: 3 });
  changes.note({ ...upstream, modelId: 'm2', atMs: 1 });
  away = false;
  await changes.flush();
  expect(sent).toEqual([[3, 1]]);
  expect(changes.waiting()).toBe(0);
  await changes.stop();
});
