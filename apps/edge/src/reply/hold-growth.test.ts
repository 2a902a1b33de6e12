import type { Candidate__Output } from '@tollgate/contracts/node';

import type { HoldStep } from '../policy/hold';
import { createHoldGrowth } from './hold-growth';

function cover(over: Partial<Candidate__Output>) {
  const added: HoldStep[] = [];
  const hold = {
    extend: (_modelId: string, add: HoldStep) => {
      added.push(add);
      return Promise.resolve({ granted: true } as const);
    },
  };
  const candidate = {
    modelId: 'm',
    outputInSteps: true,
    heldOutputTokens: 100,
    maxOutputTokens: 0,
  };
  const { check } = createHoldGrowth(
    hold,
    { ...candidate, ...over } as Candidate__Output,
    1,
    () => {},
  );
  return { check, added };
}

test('a hold grows by the step of policy', async () => {
  const { check, added } = cover({ outputStepTokens: 50 });
  expect(check(99)).toBe('go');
  await Promise.resolve();
  expect(added).toEqual([{ outputTokens: 50 }]);
  expect(check(149)).toBe('go');
  expect(check(250)).toBe('wait');
});

test('a step is priced at the tier of the candidate', () => {
  const { check, added } = cover({ outputStepTokens: 50, serviceTier: 'priority' });
  check(99);
  expect(added).toEqual([{ outputTokens: 50, serviceTier: 'priority' }]);
});

test('a policy of the previous release, without a step, extends by 1,024 tokens', () => {
  const { check, added } = cover({ outputStepTokens: 0 });
  expect(check(99)).toBe('go');
  expect(added).toEqual([{ outputTokens: 1_024 }]);
});
