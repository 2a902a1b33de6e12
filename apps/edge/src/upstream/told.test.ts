import { gatewayError } from '@tollgate/contracts';
import { upstreamError } from '../formats/upstream-error';
import { UpstreamFailure } from './failure';
import { createRedact } from './redact';
import { tellFailure } from './told';

const redact = createRedact(['sk-secret-0123456789']);
const words = 'the key sk-secret-0123456789 is at http://10.0.0.7/v1';

test.each(['upstream_error', 'upstream_timeout'] as const)(
  '%s: nothing of what the upstream said reaches the client, and the operator reads it',
  (code) => {
    const details = { upstreamStatus: 500, upstreamCode: words, upstreamType: words };
    const error = upstreamError(code, words, { details, param: words });
    const failure = new UpstreamFailure('HTTP_500', error, { status: 500, retryAfterMs: 7 });
    const told = tellFailure(failure, redact);
    expect(told.said).toBe('the key [redacted] is at http://10.0.0.7/v1');
    expect(told.failure).toMatchObject({ outcome: 'HTTP_500', status: 500, retryAfterMs: 7 });
    expect(told.failure.error).toMatchObject({ code, details: { upstreamStatus: 500 } });
    expect(told.failure.error.message).toBe(gatewayError(code).message);
    expect(told.failure.error.param).toBeUndefined();
    expect(told.failure.error.cause).toBeUndefined();
  },
);

test('a refusal of the request is told in the words of the upstream, cleaned and cut', () => {
  const error = upstreamError('upstream_rejected', `${words} ${'x'.repeat(5_000)}`, {
    details: { upstreamStatus: 400, upstreamCode: words },
    param: `p${'y'.repeat(5_000)}`,
  });
  const { failure } = tellFailure(new UpstreamFailure('HTTP_400', error), redact);
  const told = failure.error;
  expect(told.message).toMatch(/^the key \[redacted] is at/);
  expect(told.message.length).toBeLessThan(2_010);
  expect(told.param?.length).toBeLessThan(140);
  expect(told.details).toEqual({
    upstreamStatus: 400,
    upstreamCode: 'the key [redacted] is at http://10.0.0.7/v1',
  });
});

test("the gateway's own words stay, but for what they quote", () => {
  const failure = new UpstreamFailure('TIMEOUT', gatewayError('upstream_error', 'It is late.'));
  expect(tellFailure(failure, redact).failure).toBe(failure);
  const quoting = new UpstreamFailure('NETWORK', gatewayError('upstream_error', words));
  expect(tellFailure(quoting, redact)).toMatchObject({
    said: undefined,
    failure: { error: { message: 'the key [redacted] is at http://10.0.0.7/v1' } },
  });
});
