import { gatewayError, type ErrorCode } from '@tollgate/contracts';
import type { AttemptReport, Candidate__Output } from '@tollgate/contracts/node';

import { timedOut, tooLarge, UpstreamFailure } from '../upstream/failure';
import type { Answer } from './answer';
import { reportAnswer, reportBroken, reportFailure, type Reporting } from './attempt-report';
import type { Exchange } from './exchange';
import type { Gateway } from './gateway';

const candidate = { modelId: 'm', providerId: 'p', probe: true } as Candidate__Output;
const attempt = (latencyMs: number) => ({ outcome: 'TIMEOUT', latencyMs });

function bench(stopped: Reporting['stopped'], routing: object | null = {}) {
  const told: AttemptReport[] = [];
  const gateway = {
    policy: { report: (report: AttemptReport) => told.push(report) },
  } as unknown as Gateway;
  const exchange = { allow: { routing, subject: { organisationId: 'o' } } } as unknown as Exchange;
  const rules = { routed: true, totalTimeoutMs: 10_000 };
  // The functions read no other fields.
  const reporting = { gateway, exchange, rules, stopped } as unknown as Reporting;
  return { told, gateway, exchange, reporting };
}

test.each([
  ['all of the time', 'late', 10_000, 'TIMEOUT'],
  ['half of it', 'late', 5_000, 'TIMEOUT'],
  ['the time that others had left', 'late', 4_999, 'ABORTED'],
  ['its own time', undefined, 1_000, 'TIMEOUT'],
] as const)('a silence for %s is reported as such', (_what, stopped, ms, outcome) => {
  const { told, reporting } = bench(stopped);
  const failed = attempt(ms);
  reportFailure(reporting, candidate, failed, timedOut('whole answer', { own: true }));
  expect(told).toMatchObject([{ modelId: 'm', outcome, probe: true }]);
  // The record keeps the real outcome.
  expect(failed.outcome).toBe('TIMEOUT');
});

describe('an answer tells where its conversation is', () => {
  const affinity = Buffer.alloc(8, 1);
  const candidates = [{ modelId: 'first' }, { modelId: 'second' }];
  function told(
    strategy: string,
    modelId: string,
    {
      inExperiment,
      rememberPlace = false,
      ...over
    }: { hedge?: boolean; affinity?: Buffer; inExperiment?: boolean; rememberPlace?: boolean } = {},
  ) {
    const routing = { strategy, policyId: 'r1', rememberPlace };
    const { reporting, told: reports } = bench(undefined, routing);
    Object.assign(reporting.exchange, { affinity, ...over });
    Object.assign(reporting.exchange.allow ?? {}, {
      candidates,
      subject: { organisationId: 'o', apiKeyId: 'k1' },
      experiment: inExperiment ? { experimentId: 'e', experiment: 'trial', arm: 'a' } : null,
    });
    const answered = { kind: 'unary', attempt: { latencyMs: 1, hedge: over.hedge } };
    reportAnswer(
      reporting,
      { modelId, providerId: 'p', probe: false } as Candidate__Output,
      answered as unknown as Answer,
    );
    return reports[0]?.affinity && { apiKeyId: reports[0].apiKeyId, policyId: reports[0].policyId };
  }

  test('if another candidate than the first one gave it', () => {
    const where = { apiKeyId: 'k1', policyId: 'r1' };
    expect(told('round_robin', 'second')).toEqual(where);
    expect(told('weighted', 'second')).toEqual(where);
    expect(told('round_robin', 'first')).toBeUndefined();
    // Policy looks for it elsewhere.
    expect(told('lowest_latency', 'first', { rememberPlace: true })).toEqual(where);
    // The arm of an experiment stays first.
    expect(told('round_robin', 'second', { inExperiment: true })).toBeUndefined();
  });

  test('and a rejected request sends it back, because others may not be able to read its reasoning', () => {
    const { reporting, told: reports } = bench(undefined, { strategy: 'weighted', policyId: 'r1' });
    Object.assign(reporting.exchange, { affinity });
    Object.assign(reporting.exchange.allow ?? {}, {
      candidates: [candidate, { modelId: 'other' }],
    });
    const failed = (status: number) =>
      new UpstreamFailure('HTTP_4XX' as never, gatewayError('invalid_request', 'No.'), { status });
    reportFailure(reporting, candidate, attempt(1), failed(400));
    reportFailure(reporting, candidate, attempt(1), failed(503));
    expect(reports.map((report) => report.affinity)).toEqual([affinity, undefined]);
    // Neither is the conversation's place.
    reportFailure(reporting, candidate, { ...attempt(1), hedge: true }, failed(400));
    reportFailure(reporting, { ...candidate, modelId: 'other' }, attempt(1), failed(400));
    expect(reports.slice(2).map((report) => report.affinity)).toEqual([undefined, undefined]);
  });

  test('not for a hedge, which ran beside the first one', () => {
    expect(told('round_robin', 'second', { hedge: true })).toBeUndefined();
  });

  test.each(['failover', 'priority', 'lowest_cost'])('nor for %s', (strategy) => {
    expect(told(strategy, 'second')).toBeUndefined();
  });
});

/** A stream whose first output came after 20 ms. */
const begun = {
  candidate,
  attempt: attempt(60_000),
  startedMs: 100,
  stream: { firstOutputMs: () => 120 },
} as unknown as Parameters<typeof reportBroken>[2];

test('a stream that fails after its first output is not the result of a probe', () => {
  const { told, gateway, exchange } = bench(undefined);
  reportBroken(gateway, exchange, begun, timedOut('silence within the answer'));
  expect(told).toMatchObject([{ outcome: 'TIMEOUT', probe: false, firstTokenMs: 20 }]);
  const unrouted = bench(undefined, null);
  reportBroken(unrouted.gateway, unrouted.exchange, begun, timedOut('silence'));
  expect(unrouted.told).toEqual([]);
});

test('a stream cut by the operator’s own timeout does not count against its upstream', () => {
  const { told, gateway, exchange } = bench(undefined);
  reportBroken(gateway, exchange, begun, timedOut('whole answer', { own: true }));
  expect(told).toMatchObject([{ outcome: 'ABORTED' }]);
});

test('an answer above the operator’s size limit is reported as TOO_LARGE', () => {
  const { told, gateway, exchange, reporting } = bench(undefined);
  const failure = tooLarge(1);
  reportFailure(reporting, candidate, { outcome: failure.outcome, latencyMs: 1 }, failure);
  reportBroken(gateway, exchange, begun, failure);
  expect(told).toMatchObject([{ outcome: 'TOO_LARGE' }, { outcome: 'TOO_LARGE' }]);
});

test.each<[ErrorCode, string]>([
  ['upstream_error', 'UPSTREAM_ERROR'],
  ['upstream_rejected', 'UPSTREAM_REJECTED'],
  ['upstream_rate_limited', 'UPSTREAM_LIMITED'],
])('an error within an answer (%s) is reported with the outcome of its code', (code, outcome) => {
  const { told, gateway, exchange, reporting } = bench(undefined);
  const failure = new UpstreamFailure('UPSTREAM_ERROR', gatewayError(code));
  reportFailure(reporting, candidate, { outcome: failure.outcome, latencyMs: 1 }, failure);
  reportBroken(gateway, exchange, begun, failure);
  expect(told).toMatchObject([
    { outcome, latencyMs: 1 },
    { outcome, firstTokenMs: 20 },
  ]);
});
