import { planOf } from '../directory';
import { context, model, price } from '../test-support/contexts';
import { outputPriceOf } from './extend';
import type { Ticket } from './ticket';

/** Two models at 2,000 nano-USD an output token, one of which has a price for priority processing. */
const PLAN = planOf(
  context({
    models: ['plain', 'tiered'].map((name) =>
      model({
        modelId: name,
        name,
        prices: [
          price({
            priceId: `p-${name}`,
            tierPercent: name === 'tiered' ? { priority: '200', flex: '50' } : {},
          }),
        ],
      }),
    ),
  }),
);
const ticket: Pick<Ticket, 'candidates' | 'inputTokens' | 'outputPrice'> = {
  inputTokens: 100,
  outputPrice: 4_000_000_000n,
  candidates: ['plain', 'tiered'].map((name) => ({
    modelId: name,
    modelName: name,
    providerId: 'provider-1',
    connectionVersion: 1,
    priceId: `p-${name}`,
    outputBound: 500,
    heldOutputTokens: 500,
    inSteps: false,
    probeUntilMs: 0,
  })),
};

test.each([
  ['plain', '', 2_000_000_000n],
  ['plain', 'priority', 2_000_000_000n],
  ['tiered', '', 2_000_000_000n],
  ['tiered', 'priority', 4_000_000_000n],
  ['tiered', 'flex', 2_000_000_000n],
])('a step of %s in the tier "%s" costs what it may cost there', (modelId, serviceTier, nano) => {
  expect(outputPriceOf(ticket, { modelId, serviceTier }, PLAN)).toBe(nano);
});
