import type { rest } from '@tollgate/contracts';

import { changeSentence } from './compare-words';

const measures = (requests: number): rest.UsageMeasures =>
  ({ requests }) as unknown as rest.UsageMeasures;
const said = (now: number, before: number): string =>
  changeSentence({
    metric: 'requests',
    now: measures(now),
    before: measures(before),
    show: String,
    period: '1 Oct to 30 Oct',
  });

test.each([
  [
    112,
    100,
    'Requests are 12% higher than in the previous period: 112 after 100 (1 Oct to 30 Oct).',
  ],
  [90, 100, 'Requests are 10% lower than in the previous period: 90 after 100 (1 Oct to 30 Oct).'],
  [0, 100, 'Requests are 100% lower than in the previous period: 0 after 100 (1 Oct to 30 Oct).'],
  [
    1200,
    100,
    'Requests are 12 times as high as in the previous period: 1200 after 100 (1 Oct to 30 Oct).',
  ],
  [5, 0, 'Requests: 5, after none in the previous period (1 Oct to 30 Oct).'],
  [5, 5, 'Requests are the same as in the previous period (1 Oct to 30 Oct): 5.'],
  [0, 0, 'Requests are zero, as in the previous period (1 Oct to 30 Oct).'],
  [
    1_000_001,
    1_000_000,
    'Requests are less than 0.1% higher than in the previous period: 1000001 after 1000000 (1 Oct to 30 Oct).',
  ],
])('%d after %d', (now, before, words) => {
  expect(said(now, before)).toBe(words);
});
