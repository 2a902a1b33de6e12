import { ERRORS } from '@tollgate/contracts';

import { nextStep } from './next-step';

/** Of requests that never had a key, or that failed after the decision. */
const NEVER_REFUSED = [
  'internal_error',
  'missing_api_key',
  'route_not_found',
  'unsupported_parameter',
  'upstream_rejected',
  'upstream_timeout',
  'websocket_disabled',
];

test('every code that a key can be refused with says what to do', () => {
  const silent = Object.keys(ERRORS).filter(
    (code) => nextStep(code) === undefined && !NEVER_REFUSED.includes(code),
  );
  expect(silent).toEqual([]);
  expect(nextStep('toString')).toBeUndefined();
});
