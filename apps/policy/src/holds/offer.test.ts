import { modelNamed, planOf } from '../directory';
import { context, model, price } from '../test-support/contexts';
import { priceOf } from './offer';

const AT = 1_000_000;

function modelWith(...begins: number[]) {
  const prices = begins.map((effectiveFromMs) =>
    price({ priceId: `from-${effectiveFromMs}`, effectiveFromMs }),
  );
  const plan = planOf(context({ models: [model({ prices })] }));
  const planned = modelNamed(plan, 'small');
  if (planned === undefined) throw new Error('the model is not in the plan');
  return planned;
}

const idAt = (planned: ReturnType<typeof modelWith>, nowMs: number): string | undefined =>
  priceOf(planned, nowMs)?.wire.priceId;

test('the latest price that has begun is the one in effect', () => {
  const planned = modelWith(AT - 100, AT, AT + 100);
  expect(idAt(planned, AT - 1)).toBe(`from-${AT - 100}`);
  expect(idAt(planned, AT)).toBe(`from-${AT}`);
});

test('a first price counts a little before it begins: clocks differ, and nothing is free for that', () => {
  const planned = modelWith(AT, AT + 1);
  expect(idAt(planned, AT - 5_000)).toBe(`from-${AT}`);
  expect(idAt(planned, AT - 5_001)).toBeUndefined();
});
