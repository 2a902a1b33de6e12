import type { AttemptReport, Candidate__Output } from '@tollgate/contracts/node';
import type { Exchange } from './exchange';
import type { Gateway } from './gateway';
import { reportBroken, reportFailure } from './report';
import type { Tries } from './tries';

const candidate = { modelId: 'm', providerId: 'p', probe: true } as Candidate__Output;
const attempt = (latencyMs: number) => ({ outcome: 'TIMEOUT', latencyMs });

function bench(stopped: Tries['stopped'], routing: object | null = {}) {
  const told: AttemptReport[] = [];
  const gateway = {
    policy: { report: (report: AttemptReport) => told.push(report) },
  } as unknown as Gateway;
  const exchange = { allow: { routing, subject: { organisationId: 'o' } } } as unknown as Exchange;
  const rules = { routed: true, totalTimeoutMs: 10_000 };
  // Nothing else of them is looked at.
  const tries = { gateway, exchange, rules, stopped } as unknown as Tries;
  return { told, gateway, exchange, tries };
}

test.each([
  ['all of the time', 'late', 10_000, 'TIMEOUT'],
  ['half of it', 'late', 5_000, 'TIMEOUT'],
  ['what others had left', 'late', 4_999, 'ABORTED'],
  ['its own time', undefined, 1_000, 'TIMEOUT'],
] as const)('who has been silent for %s is told as that', (_what, stopped, ms, outcome) => {
  const { told, tries } = bench(stopped);
  const failed = attempt(ms);
  reportFailure(tries, candidate, failed);
  expect(told).toMatchObject([{ modelId: 'm', outcome, probe: true }]);
  // The record keeps what happened.
  expect(failed.outcome).toBe('TIMEOUT');
});

test('a stream that breaks off later is no verdict of a probe', () => {
  const { told, gateway, exchange } = bench(undefined);
  reportBroken(gateway, exchange, candidate, attempt(60_000));
  expect(told).toMatchObject([{ outcome: 'TIMEOUT', probe: false }]);
  const unrouted = bench(undefined, null);
  reportBroken(unrouted.gateway, unrouted.exchange, candidate, attempt(1));
  expect(unrouted.told).toEqual([]);
});
