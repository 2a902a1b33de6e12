import { RETIRED } from '@tollgate/kit';

import { lingerMsOf } from './linger';

test.each([
  ['SIGTERM', 0, 0],
  ['SIGTERM', 3_000, 3_000],
  [RETIRED, 0, 5_000],
  [RETIRED, 8_000, 8_000],
])('stopped by %s with %i ms configured, idle connections are served for %i ms', (...row) => {
  const [reason, configuredMs, expectedMs] = row;
  expect(lingerMsOf(reason, configuredMs)).toBe(expectedMs);
});
