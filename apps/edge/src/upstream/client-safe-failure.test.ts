import { gatewayError } from '@tollgate/contracts';

import { upstreamError } from '../formats/upstream-error';
import { clientSafeFailure, recordedMessage } from './client-safe-failure';
import { UpstreamFailure } from './failure';
import { createRedact } from './redact';

const redact = createRedact(['sk-secret-0123456789']);
const words = 'the key sk-secret-0123456789 is at http://10.0.0.7/v1';

test.each(['upstream_error', 'upstream_timeout'] as const)(
  '%s: the upstream’s message does not reach the client, and is logged for the operator',
  (code) => {
    const details = { upstreamStatus: 500, upstreamCode: words, upstreamType: words };
    const error = upstreamError(code, words, { details, param: words });
    const failure = new UpstreamFailure('HTTP_500', error, { status: 500, retryAfterMs: 7 });
    const safe = clientSafeFailure(failure, redact);
    expect(safe.upstreamMessage).toBe('the key [redacted] is at http://10.0.0.7/v1');
    expect(safe.failure).toMatchObject({ outcome: 'HTTP_500', status: 500, retryAfterMs: 7 });
    expect(safe.failure.error).toMatchObject({ code, details: { upstreamStatus: 500 } });
    expect(safe.failure.error.message).toBe(gatewayError(code).message);
    expect(safe.failure.error.param).toBeUndefined();
    expect(safe.failure.error.cause).toBeUndefined();
  },
);

test('a refusal of the request keeps the upstream’s message, sanitised and cut', () => {
  const error = upstreamError('upstream_rejected', `${words} ${'x'.repeat(5_000)}`, {
    details: { upstreamStatus: 400, upstreamCode: words },
    param: `p${'y'.repeat(5_000)}`,
  });
  const { failure } = clientSafeFailure(new UpstreamFailure('HTTP_400', error), redact);
  const safe = failure.error;
  expect(safe.message).toMatch(/^the key \[redacted] is at/);
  expect(safe.message.length).toBeLessThan(2_010);
  expect(safe.param?.length).toBeLessThan(140);
  expect(safe.details).toEqual({
    upstreamStatus: 400,
    upstreamCode: 'the key [redacted] is at http://10.0.0.7/v1',
  });
});

test('the gateway’s own messages stay, without the quoted text', () => {
  const failure = new UpstreamFailure('TIMEOUT', gatewayError('upstream_error', 'It is late.'));
  expect(clientSafeFailure(failure, redact).failure).toBe(failure);
  const quoting = new UpstreamFailure('NETWORK', gatewayError('upstream_error', words));
  expect(clientSafeFailure(quoting, redact)).toMatchObject({
    upstreamMessage: undefined,
    failure: { error: { message: 'the key [redacted] is at http://10.0.0.7/v1' } },
  });
});

test('a record has a message as one line, cut between characters', () => {
  expect(recordedMessage(' a\r\n\tb\u0000\u202e c ')).toBe('a b c');
  const cut = recordedMessage(`${'x'.repeat(299)}\u{1F4A5}`);
  expect(cut).toBe(`${'x'.repeat(299)}\ufffd`);
});
