import type { Candidate__Output } from '@tollgate/contracts/node';

import { usageCeiling } from './plausible-usage';

const bounded = (maxOutputTokens: number) => ({ maxOutputTokens }) as Candidate__Output;
const job = { inputTokensEstimate: 10, choices: 1 };

test.each([
  ['a short answer', 20, job, 10_000_000, 200_000],
  ['a long one', 128_000, job, 10_000_000, 8_192_000],
  ['several', 4_096, { ...job, choices: 10 }, 10_000_000, 2_621_440],
  ['no bound', 0, job, 10_000_000, 4_000_000],
  ['a long input', 20, { ...job, inputTokensEstimate: 1_000_000 }, 64_000_000, 200_000],
  [
    'beyond every limit',
    128_000,
    { inputTokensEstimate: 1e9, choices: 128 },
    100_000_000,
    100_000_000,
  ],
])('the usage ceiling of %s', (_, bound, asked, input, output) => {
  expect(usageCeiling(bounded(bound), asked)).toEqual({ input, output });
});
