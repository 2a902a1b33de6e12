import { gatewayError } from '@tollgate/contracts';
import type { Allow__Output, Candidate__Output } from '@tollgate/contracts/node';

import { garbled, stoppedBy, timedOut, UpstreamFailure } from '../upstream/failure';
import { retryPauseMs, routingRulesOf, timeoutsOf, triggersFallback } from './rules';

const refusal = (status: number, retryAfterMs?: number) =>
  new UpstreamFailure(`HTTP_${status}`, gatewayError('upstream_error'), { status, retryAfterMs });
const rulesWith = (...triggers: string[]) =>
  routingRulesOf({ routing: { triggers } } as unknown as Allow__Output);
const without = routingRulesOf({ routing: null } as Allow__Output);

test('without a routing policy, failures and timeouts of the upstream trigger a fallback, and nothing else does', () => {
  expect(without).toMatchObject({ retries: 0, hedgeAfterMs: 0, totalTimeoutMs: 0, routed: false });
  expect(triggersFallback(without, garbled('x'))).toBe(true);
  expect(triggersFallback(without, timedOut('x'))).toBe(true);
  const credentials = new UpstreamFailure('HTTP_401', gatewayError('provider_auth_failed'));
  expect(triggersFallback(without, credentials)).toBe(false);
  expect(triggersFallback(rulesWith('5xx'), credentials)).toBe(true);
});

test('the trigger any covers a misconfigured provider, and never an exception of the gateway', () => {
  const misconfigured = gatewayError('provider_misconfigured');
  expect(triggersFallback(rulesWith('5xx', 'timeout', 'rate_limit'), misconfigured)).toBe(false);
  expect(triggersFallback(rulesWith('any'), misconfigured)).toBe(true);
  expect(triggersFallback(rulesWith('any'), new TypeError('x is not a function'))).toBe(false);
});

test('what a rule refuses triggers nothing, but an operator’s limit may', () => {
  for (const code of ['content_blocked', 'plugin_blocked', 'dependency_unavailable'] as const) {
    expect(triggersFallback(rulesWith('any'), stoppedBy(gatewayError(code)))).toBe(false);
  }
  expect(triggersFallback(rulesWith('any'), timedOut('x', { own: true }))).toBe(true);
});

test('the routing policy’s timeouts apply where they are shorter than the connection’s', () => {
  const own = { connectMs: 10, firstByteMs: 20, idleMs: 30, totalMs: 40 };
  const timeouts = { connectMs: 9, firstTokenMs: 50, idleMs: 0, attemptMs: 39 };
  const candidate = { timeouts } as unknown as Candidate__Output;
  expect(timeoutsOf(candidate, own)).toEqual({
    connectMs: 9,
    firstTokenMs: undefined,
    idleMs: undefined,
    attemptMs: 39,
  });
  expect(timeoutsOf({ timeouts: null } as Candidate__Output, own)).toBeUndefined();
});

test('a call is retried only if the upstream cannot have billed it', () => {
  for (const status of [429, 503, 529]) expect(retryPauseMs(refusal(status), 0, 1)).toBe(200);
  for (const status of [400, 408, 500, 502, 504]) {
    expect(retryPauseMs(refusal(status), 0, 1)).toBeUndefined();
  }
  expect(retryPauseMs(timedOut('x'), 0, 1)).toBeUndefined();
  expect(retryPauseMs(timedOut('x', { sent: false }), 0, 1)).toBe(200);
});

test('the backoff grows to a maximum, with jitter, and is at least the requested wait', () => {
  const pauses = [0, 1, 2, 20].map((retry) => retryPauseMs(refusal(503), retry, 0.5));
  expect(pauses).toEqual([100, 200, 400, 2_500]);
  expect(retryPauseMs(refusal(429, 3_000), 0, 0.5)).toBe(3_100);
  expect(retryPauseMs(refusal(429, 30_001), 0, 0.5)).toBeUndefined();
});
