import { ERRORS, gatewayError } from '@tollgate/contracts';

import { withLongWait } from './long-wait';

const LONG_MS = 33_000;

test.each([
  [ERRORS.rate_limit_exceeded.sentence, 'Too many requests or tokens in a short time.'],
  [
    'The limit is 1, this needs 1. Wait a little and send it again.',
    'The limit is 1, this needs 1.',
  ],
  ['Wait a little and send it again.', ''],
  ['The vendor says no.', 'The vendor says no.'],
])('%s: the wait is told once', (message, start) => {
  const error = withLongWait(
    gatewayError('rate_limit_exceeded', message, { retryAfterMs: LONG_MS }),
  );
  expect(error.message).toBe(`${start} Send it again in 33 seconds.`.trim());
  expect(error.details).toEqual({ retryAfterSeconds: 33 });
});

test('a short wait is left to the header', () => {
  const error = gatewayError('rate_limit_exceeded', undefined, { retryAfterMs: 2_000 });
  expect(withLongWait(error)).toBe(error);
});
