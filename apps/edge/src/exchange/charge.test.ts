import { emptyUsage } from '@tollgate/contracts';

import { addCharges, expectedConsumption, NO_CHARGE } from './charge';
import type { Charge } from './exchange';

const charge = (over: Partial<Charge>): Charge => ({ ...NO_CHARGE, ...over });

test('costs of two attempts are summed by token class and by unit', () => {
  const a = charge({
    usage: { ...emptyUsage(), input: 1, output: 2, reasoning: 1 },
    units: { audio_second: '1.5', image: '2' },
    costNanoUsd: 10n,
  });
  const b = charge({
    usage: { ...emptyUsage(), input: 3, cacheRead: 4 },
    units: { audio_second: '2', image: '9007199254740993', search: '1' },
    costNanoUsd: 5n,
  });
  expect(addCharges(a, b)).toEqual({
    usage: { ...emptyUsage(), input: 4, cacheRead: 4, output: 2, reasoning: 1 },
    units: { audio_second: '3.5', image: '9007199254740995', search: '1' },
    quality: 'EXACT',
    costNanoUsd: 15n,
    serviceTier: '',
  });
});

test.each([
  ['EXACT', 1n, 'ESTIMATED', 1n, 'ESTIMATED'],
  ['EXACT', 1n, 'UNKNOWN', 0n, 'ESTIMATED'],
  ['EXACT', 0n, 'UNKNOWN', 0n, 'UNKNOWN'],
  ['UNKNOWN', 0n, 'UNKNOWN', 0n, 'UNKNOWN'],
  ['EXACT', 0n, 'EXACT', 1n, 'EXACT'],
] as const)('%s %s and %s %s sum to %s', (one, costOne, two, costTwo, expected) => {
  const a = charge({ quality: one, costNanoUsd: costOne });
  const b = charge({ quality: two, costNanoUsd: costTwo });
  expect(addCharges(a, b).quality).toBe(expected);
  expect(addCharges(b, a).quality).toBe(expected);
});

test.each([
  ['images', true, { imageOutput: 200, audioOutput: 0 }],
  ['speech', false, { imageOutput: 0, audioOutput: 200 }],
])('output of %s that follows from the request is expected as such', (_, textOutput, expected) => {
  const job = {
    inputTokensEstimate: 10,
    audioInputTokensEstimate: 0,
    outputTokensEstimate: 100,
    choices: 2,
    textOutput,
    unitsEstimate: {},
  };
  expect(expectedConsumption(job, 0).estimate).toEqual({ ...emptyUsage(), input: 10, ...expected });
});
